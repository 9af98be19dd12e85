import type { Affine, Point } from "../geometry/affine.ts";
import { scaleOf } from "../geometry/similarity.ts";

/**
 * How far landmarks moved between two views of a face: root mean square distance of all landmarks of the
 * scheme, in pixels of the chip that the second view was fitted to.
 */
export function driftBetween(
  first: { landmarks: readonly Point[] },
  second: { landmarks: readonly Point[]; chipToImage: Affine },
): number {
  let squares = 0;
  for (const [i, { x, y }] of second.landmarks.entries()) {
    const before = first.landmarks[i]!;
    squares += (before.x - x) ** 2 + (before.y - y) ** 2;
  }
  return Math.sqrt(squares / second.landmarks.length) / scaleOf(second.chipToImage);
}
