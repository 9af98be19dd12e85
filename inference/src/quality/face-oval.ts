import { type AlignmentTemplate, eyesOf, pointsByLandmark } from "../align/templates.ts";
import { type Affine, type Point, squareMap } from "../geometry/affine.ts";
import type { Size } from "../geometry/pixels.ts";
import { meanOf } from "../geometry/similarity.ts";
import { sharpnessReachPx } from "./sharpness.ts";

/** Pixels between the eyes in the square: no network that is shipped sees more than 1.7 times as many. */
const eyeDistancePx = 32;
/** Half-axes of the oval from the forehead to the chin, and how far its centre is below the eyes. */
const oval = { across: 27, down: 33, below: 14 };

/** The square around the oval that quality is measured in. */
export const ovalSquarePx = 2 * (oval.down + sharpnessReachPx + 1);

/** The pixels of the square that lie in the oval, by their index. */
export const ovalPixels: readonly number[] = Array.from({ length: ovalSquarePx ** 2 }, (_, i) => i).filter(
  (i) => {
    const { x, y } = centreOf(i);
    const [u, v] = [(x - ovalSquarePx / 2) / oval.across, (y - ovalSquarePx / 2) / oval.down];
    return u * u + v * v <= 1;
  },
);

/** The map from the square to the chip of a template, by the eyes of the template. */
export function ovalSquareToChip(template: AlignmentTemplate): Affine {
  const { left, right } = eyesOf(pointsByLandmark(template), template);
  const scale = Math.hypot(left.x - right.x, left.y - right.y) / eyeDistancePx;
  const { x, y } = meanOf([left, right]);
  const centre = { x, y: y + scale * oval.below };
  return squareMap({ centre, side: scale * ovalSquarePx, angle: 0 }, ovalSquarePx);
}

/** The pixels of the oval that lie in the image and whose surroundings do too. */
export function pixelsInside(squareToImage: Affine, { width, height }: Size): InsidePixels {
  const isInside = ({ x, y }: Point): boolean => {
    const { a, b, c, d, e, f } = squareToImage;
    const [u, v] = [a * x + b * y + e, c * x + d * y + f];
    return u >= 0 && v >= 0 && u < width && v < height;
  };
  const far = ovalSquarePx;
  const corners = [0, far].flatMap((y) => [0, far].map((x) => ({ x, y })));
  // An image is convex, so whatever lies between inner points is inside.
  if (corners.every(isInside)) return { inside: ovalPixels, within: ovalPixels };
  const inside = ovalPixels.filter((i) => isInside(centreOf(i)));
  const reach = [-sharpnessReachPx, sharpnessReachPx];
  const within = inside.filter((i) => {
    const { x, y } = centreOf(i);
    return reach.every((by) => isInside({ x: x + by, y }) && isInside({ x, y: y + by }));
  });
  return { inside, within };
}

function centreOf(pixel: number): Point {
  return { x: (pixel % ovalSquarePx) + 0.5, y: Math.floor(pixel / ovalSquarePx) + 0.5 };
}

type InsidePixels = { inside: readonly number[]; within: readonly number[] };
