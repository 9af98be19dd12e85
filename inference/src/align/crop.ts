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
  return { cropToImage: squareMap({ ...squareAround(box), angle: 0 }, px), within: box };
}

/**
 * The view of a box turned clockwise by quarter turns, for a face that may not stand upright in the image.
 * Detectors draw less exact boxes around such faces, so the view is larger and shows the surroundings of the
 * box. Of 25 upside-down faces in photographs and their stretched copies, the landmarks of 21 were right
 * after three runs, and of 19 in the view of the box alone.
 */
export function turnedCrop(box: Box, quarterTurns: number, image: Size, px: number): Crop {
  const { centre, side } = squareAround(box);
  const square = { centre, side: 1.15 * side, angle: (quarterTurns * Math.PI) / 2 };
  return { cropToImage: squareMap(square, px), within: wholeBox(image) };
}

/**
 * The view of a face whose position a first fit has found (chip → image): upright, with its surroundings.
 */
export function uprightCrop(
  chipToImage: Affine,
  { detectorSquare }: AlignmentTemplate,
  image: Size,
  px: number,
): Crop {
  const square = {
    centre: apply(chipToImage, detectorSquare.centre),
    side: detectorSquare.sidePx * scaleOf(chipToImage),
    angle: angleOf(chipToImage),
  };
  return { cropToImage: squareMap(square, px), within: wholeBox(image) };
}

/**
 * Two tilted views, one from further away and one from nearer. They check whether landmarks are real: those
 * of a face stay in place in the image, while invented ones follow at least one of the two views.
 */
export function leaningCrops(
  chipToImage: Affine,
  template: AlignmentTemplate,
  image: Size,
  px: number,
): Crop[] {
  const upright = uprightCrop(chipToImage, template, image, px);
  return leanings.map(({ degrees, zoom }) => {
    const square = { centre: { x: px / 2, y: px / 2 }, side: zoom * px, angle: (degrees * Math.PI) / 180 };
    return { ...upright, cropToImage: composed(squareMap(square, px), upright.cropToImage) };
  });
}

/** The pair that the fewest invented faces survived, of five tilts that were tried alone and in pairs. */
export const leanings = [
  { degrees: 30, zoom: 1.15 },
  { degrees: -15, zoom: 0.87 },
];

function squareAround({ left, top, right, bottom }: Box): { centre: Point; side: number } {
  const centre = { x: (left + right) / 2, y: (top + bottom) / 2 };
  return { centre, side: Math.max(right - left, bottom - top) };
}

/** The map from pixels of a crop to pixels of the image. The crop is black outside `within`. */
export type Crop = { cropToImage: Affine; within: Box };
