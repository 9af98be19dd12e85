import type { FacialArea } from "@faceline/contracts/http/facial-area";
import type { Eyes } from "../align/templates.ts";
import type { Point } from "../geometry/affine.ts";
import type { Box } from "../geometry/box.ts";

/**
 * Converts a box and eyes from pixels of the searched picture to whole pixels of the original one. The result
 * lies in the picture and is at least one pixel wide and high.
 */
export function facialArea(picture: ScaledPicture, box: Box, eyes: Eyes | null): FacialArea {
  const across = picture.originalWidth / picture.width;
  const down = picture.originalHeight / picture.height;
  const left = clamp(Math.round(box.left * across), picture.originalWidth - 1);
  const top = clamp(Math.round(box.top * down), picture.originalHeight - 1);
  const right = clamp(Math.round(box.right * across), picture.originalWidth);
  const bottom = clamp(Math.round(box.bottom * down), picture.originalHeight);
  // A point at 10.7 lies in the pixel with the index 10.
  const pixelOf = ({ x, y }: Point): [number, number] => [
    clamp(Math.floor(x * across), picture.originalWidth - 1),
    clamp(Math.floor(y * down), picture.originalHeight - 1),
  ];
  return {
    x: left,
    y: top,
    w: Math.max(1, right - left),
    h: Math.max(1, bottom - top),
    left_eye: eyes && pixelOf(eyes.left),
    right_eye: eyes && pixelOf(eyes.right),
  };
}

function clamp(position: number, last: number): number {
  return Math.min(Math.max(position, 0), last);
}

type ScaledPicture = { width: number; height: number; originalWidth: number; originalHeight: number };
