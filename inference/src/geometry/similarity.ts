import { type Affine, apply, type Point } from "./affine.ts";

/**
 * Least-squares similarity transform: the rotation, scale and shift (never a reflection) that bring `from`
 * nearest to `to`, point by point. Closed form of Umeyama (1991) in two dimensions: with both sets centred on
 * their means and points read as complex numbers, the best factor is <from, to> / <from, from>.
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

/**
 * Root mean square distance between fitted `from` and `to`, in the unit of `from`: independent of the scale
 * of `to`.
 */
export function residualOf(fit: Affine, from: readonly Point[], to: readonly Point[]): number {
  let squares = 0;
  for (const [i, point] of from.entries()) {
    const mapped = apply(fit, point);
    squares += (mapped.x - to[i]!.x) ** 2 + (mapped.y - to[i]!.y) ** 2;
  }
  return Math.sqrt(squares / from.length) / scaleOf(fit);
}

/** The scale factor of a similarity transform. */
export function scaleOf({ a, c }: Affine): number {
  return Math.hypot(a, c);
}

/** The clockwise rotation of a similarity transform, in radians. */
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
