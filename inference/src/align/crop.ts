import { type Affine, apply, composed, squareMap } from "../geometry/affine.ts";
import { type Box, wholeBox } from "../geometry/box.ts";
import type { Size } from "../geometry/pixels.ts";
import { angleOf, scaleOf } from "../geometry/similarity.ts";
import type { AlignmentTemplate } from "./templates.ts";

/**
 * The landmark network's view of a box: a square of `px` pixels with the box in its middle, black beside the
 * box. Turned clockwise by quarter turns, for a face that does not stand upright in the picture.
 */
export function boxCrop(box: Box, quarterTurns: number, px: number): Crop {
  const centre = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  const side = Math.max(box.right - box.left, box.bottom - box.top);
  return { cropToPicture: squareMap({ centre, side, angle: (quarterTurns * Math.PI) / 2 }, px), within: box };
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
 * The upright view, seen from further away and turned by 15 degrees. It asks whether landmarks were seen:
 * those of a face stay in their place in the picture, while invented ones follow the view.
 */
export function leaningCrop(
  chipToPicture: Affine,
  template: AlignmentTemplate,
  picture: Size,
  px: number,
): Crop {
  const upright = uprightCrop(chipToPicture, template, picture, px);
  const lean = { centre: { x: px / 2, y: px / 2 }, side: 1.15 * px, angle: Math.PI / 12 };
  return { ...upright, cropToPicture: composed(squareMap(lean, px), upright.cropToPicture) };
}

/** Where the pixels of a crop lie in the picture. It is black outside `within`. */
export type Crop = { cropToPicture: Affine; within: Box };
