import { type Affine, composed, type Point } from "../geometry/affine.ts";
import { meanOf } from "../geometry/similarity.ts";

/**
 * Removes what makes a face wider than faces are: returns the fit of `from` to `to`, a similarity, widened by
 * that. A face that is up to 1.25 times as wide as the template is left alone: people differ by that much
 * (ordinary photographs reach 1.20, with a broad smile), and embeddings depend on it. Narrower ones are left
 * alone too: they are half-profiles.
 */
export function withoutStretch(fit: Affine, from: readonly Point[], to: readonly Point[]): Affine {
  const excess = widthRatio(fit, from, to) / widthRatioMax;
  if (!(excess > 1)) return fit;
  const { x, y } = meanOf(from);
  // Half of it in each direction, so that the face keeps its size.
  const [wider, lower] = [Math.sqrt(excess), 1 / Math.sqrt(excess)];
  return composed({ a: wider, b: 0, c: 0, d: lower, e: x * (1 - wider), f: y * (1 - lower) }, fit);
}

/**
 * How much wider `to` is than `from`, in proportion to their heights, in the axes of `from`: the ratio of the
 * two scale factors that, each on its own, bring `from` nearest to `to`.
 */
export function widthRatio({ a, c }: Affine, from: readonly Point[], to: readonly Point[]): number {
  const [fromMean, toMean] = [meanOf(from), meanOf(to)];
  let [alongX, alongY, spreadX, spreadY] = [0, 0, 0, 0];
  for (const [i, point] of from.entries()) {
    const [px, py] = [point.x - fromMean.x, point.y - fromMean.y];
    const [x, y] = [to[i]!.x - toMean.x, to[i]!.y - toMean.y];
    // Turned back by the rotation of the fit.
    alongX += px * (a * x + c * y);
    alongY += py * (a * y - c * x);
    spreadX += px * px;
    spreadY += py * py;
  }
  return alongX / spreadX / (alongY / spreadY);
}

const widthRatioMax = 1.25;
