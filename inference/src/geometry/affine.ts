import type { Box } from "./box.ts";

/**
 * Maps a point of one plane to another: x' = a x + b y + e, y' = c x + d y + f. The centre of the first pixel
 * of a plane lies at (0.5, 0.5). similarity.test.ts and warp.test.ts cover it.
 */
export type Affine = { a: number; b: number; c: number; d: number; e: number; f: number };

export type Point = { x: number; y: number };

export function apply({ a, b, c, d, e, f }: Affine, { x, y }: Point): Point {
  return { x: a * x + b * y + e, y: c * x + d * y + f };
}

/** Maps a square of `px` pixels onto a square of the image. `angle` turns it clockwise, in radians. */
export function squareMap({ centre, side, angle }: RotatedSquare, px: number): Affine {
  const scale = side / px;
  const along = scale * Math.cos(angle);
  const across = scale * Math.sin(angle);
  return {
    a: along,
    b: -across,
    c: across,
    d: along,
    e: centre.x - (along - across) * (px / 2),
    f: centre.y - (across + along) * (px / 2),
  };
}

/** Maps a square of `px` pixels onto a box of the image, stretched to fit. */
export function boxMap({ left, top, right, bottom }: Box, px: number): Affine {
  return { a: (right - left) / px, b: 0, c: 0, d: (bottom - top) / px, e: left, f: top };
}

/** Pixels of the second plane for each pixel of the first, in the direction with the fewest. */
export function stepOf({ a, b, c, d }: Affine): number {
  return Math.min(Math.hypot(a, c), Math.hypot(b, d));
}

/** The map that applies `first` and then `second`. */
export function composed(first: Affine, second: Affine): Affine {
  const { x: e, y: f } = apply(second, { x: first.e, y: first.f });
  return {
    a: second.a * first.a + second.b * first.c,
    b: second.a * first.b + second.b * first.d,
    c: second.c * first.a + second.d * first.c,
    d: second.c * first.b + second.d * first.d,
    e,
    f,
  };
}

type RotatedSquare = { centre: Point; side: number; angle: number };
