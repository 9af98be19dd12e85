import { type Affine, apply, composed, type Point, squareMap } from "../geometry/affine.ts";
import { type Box, wholeBox } from "../geometry/box.ts";
import type { Size } from "../geometry/pixels.ts";
import { angleOf, scaleOf } from "../geometry/similarity.ts";
import type { AlignmentTemplate } from "./templates.ts";

/**
 * The landmark network's view of a box: a square of `px` pixels with the box in its middle, black beside the
 * box.
 */
export function boxCrop(box: Box, px: number): Crop {
  return { cropToPicture: squareMap({ ...squareAround(box), angle: 0 }, px), within: box };
}

/**
 * The view of a box turned clockwise by quarter turns, for a face that may not stand upright in the picture.
 * Detectors draw less exact boxes around such faces, so the view is larger and shows what is beside the box.
 * Of 25 upside-down faces of photographs and their stretched copies, the landmarks of 21 were right after
 * three runs, and of 19 in the view of the box alone.
 */
export function turnedCrop(box: Box, quarterTurns: number, picture: Size, px: number): Crop {
  const { centre, side } = squareAround(box);
  const square = { centre, side: 1.15 * side, angle: (quarterTurns * Math.PI) / 2 };
  return { cropToPicture: squareMap(square, px), within: wholeBox(picture) };
}

/**
 * The view of a face whose position a first fit has found (chip → picture): upright, with its surroundings.
 */
export function uprightCrop(
  chipToPicture: Affine,
  { detectorSquare }: AlignmentTemplate,
  picture: Size,
  px: number,
): Crop {
  const square = {
    centre: apply(chipToPicture, detectorSquare.centre),
    side: detectorSquare.sidePx * scaleOf(chipToPicture),
    angle: angleOf(chipToPicture),
  };
  return { cropToPicture: squareMap(square, px), within: wholeBox(picture) };
}

/**
 * Two views that lean, one from further away and one from nearer. They ask whether landmarks were seen: those
 * of a face stay in their place in the picture, while invented ones follow the view, at least one of the two.
 */
export function leaningCrops(
  chipToPicture: Affine,
  template: AlignmentTemplate,
  picture: Size,
  px: number,
): Crop[] {
  const upright = uprightCrop(chipToPicture, template, picture, px);
  return leanings.map(({ degrees, zoom }) => {
    const square = { centre: { x: px / 2, y: px / 2 }, side: zoom * px, angle: (degrees * Math.PI) / 180 };
    return { ...upright, cropToPicture: composed(squareMap(square, px), upright.cropToPicture) };
  });
}

/** The pair that fewest invented faces withstood, of five leanings that were tried alone and in pairs. */
export const leanings = [
  { degrees: 30, zoom: 1.15 },
  { degrees: -15, zoom: 0.87 },
];

function squareAround({ left, top, right, bottom }: Box): { centre: Point; side: number } {
  const centre = { x: (left + right) / 2, y: (top + bottom) / 2 };
  return { centre, side: Math.max(right - left, bottom - top) };
}

/** The map from pixels of a crop to pixels of the picture. The crop is black outside `within`. */
export type Crop = { cropToPicture: Affine; within: Box };
