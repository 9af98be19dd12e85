/** Maps a point of one plane to another: x' = a x + b y + e, y' = c x + d y + f. A pixel's middle is at a half. */
export type Affine = { a: number; b: number; c: number; d: number; e: number; f: number };

export type Point = { x: number; y: number };

export function apply({ a, b, c, d, e, f }: Affine, { x, y }: Point): Point {
  return { x: a * x + b * y + e, y: c * x + d * y + f };
}

/** A square of `px` pixels → a square of the picture round a centre, turned clockwise by `angle` (radians). */
export function squareAt({ centre, side, angle }: TurnedSquare, px: number): Affine {
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

/** A square of `px` pixels → a box of the picture, stretched to fit. */
export function boxAt({ left, top, right, bottom }: Rectangle, px: number): Affine {
  return { a: (right - left) / px, b: 0, c: 0, d: (bottom - top) / px, e: left, f: top };
}

export type TurnedSquare = { centre: Point; side: number; angle: number };
export type Rectangle = { left: number; top: number; right: number; bottom: number };
