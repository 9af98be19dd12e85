import { type Affine, apply, type Point } from "./affine.ts";

/**
 * The rotation, scale and shift (never a reflection) that bring `from` nearest to `to`, by least squares. The closed
 * form: with both sets moved to their means, a point is a complex number, and the best factor is <from, to> / <from, from>.
 */
export function fitSimilarity(from: readonly Point[], to: readonly Point[]): Affine {
  const fromMean = meanOf(from);
  const toMean = meanOf(to);
  let along = 0;
  let across = 0;
  let spread = 0;
  for (const [i, point] of from.entries()) {
    const px = point.x - fromMean.x;
    const py = point.y - fromMean.y;
    const qx = to[i]!.x - toMean.x;
    const qy = to[i]!.y - toMean.y;
    along += px * qx + py * qy;
    across += px * qy - py * qx;
    spread += px * px + py * py;
  }
  const a = along / spread;
  const c = across / spread;
  return {
    a,
    b: -c,
    c,
    d: a,
    e: toMean.x - (a * fromMean.x - c * fromMean.y),
    f: toMean.y - (c * fromMean.x + a * fromMean.y),
  };
}

/** How far, in the root of the mean square, `from` still is from `to` after the fit, in the unit of `from`. */
export function residualOf(fit: Affine, from: readonly Point[], to: readonly Point[]): number {
  let squares = 0;
  for (const [i, point] of from.entries()) {
    const mapped = apply(fit, point);
    squares += (mapped.x - to[i]!.x) ** 2 + (mapped.y - to[i]!.y) ** 2;
  }
  return Math.sqrt(squares / from.length) / scaleOf(fit);
}

export function scaleOf({ a, c }: Affine): number {
  return Math.hypot(a, c);
}

export function angleOf({ a, c }: Affine): number {
  return Math.atan2(c, a);
}

export function meanOf(points: readonly Point[]): Point {
  let [x, y] = [0, 0];
  for (const point of points) {
    x += point.x;
    y += point.y;
  }
  return { x: x / points.length, y: y / points.length };
}
