import type { Pixels } from "../detect/letterbox.ts";
import { type Affine, apply, type Rectangle, squareAt } from "./affine.ts";
import { angleOf, scaleOf } from "./similarity.ts";

/**
 * What the landmark network is to see of a box: the box in the middle of a square, black beside it. Turned clockwise
 * by quarters for a face that does not stand upright in the picture.
 */
export function cropOf(box: Rectangle, quarterTurns: number, px: number): Crop {
  const centre = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  const side = Math.max(box.right - box.left, box.bottom - box.top);
  return { map: squareAt({ centre, side, angle: (quarterTurns * Math.PI) / 2 }, px), within: box };
}

/** The same for a face whose place is roughly known from a first fit: upright, with its surroundings. */
export function uprightCropOf(fit: Affine, picture: Pixels, px: number): Crop {
  const square = { centre: apply(fit, USUAL_CENTRE), side: USUAL_SIDE * scaleOf(fit), angle: angleOf(fit) };
  return {
    map: squareAt(square, px),
    within: { left: 0, top: 0, right: picture.width, bottom: picture.height },
  };
}

/** Where a detector's box lies in the chip of an upright face, in the mean over photographs; in pixels of the chip. */
const USUAL_CENTRE = { x: 73, y: 67 };
const USUAL_SIDE = 149;

/** Crop → picture; outside `within` is black. */
export type Crop = { map: Affine; within: Rectangle };
