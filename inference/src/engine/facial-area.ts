import type { Face } from "@faceline/contracts/wire/face";
import type { Eyes } from "../align/templates.ts";
import { compareBySize, type Detection } from "../detect/non-max-suppression.ts";
import type { Point } from "../geometry/affine.ts";
import type { Box } from "../geometry/box.ts";

/**
 * Converts a box and eyes from pixels of the searched image to whole pixels of the original one. The result
 * lies in the image and is at least one pixel wide and high.
 */
export function facialArea(image: ScaledImage, box: Box, eyes: Eyes | null): Omit<Face["area"], "detector"> {
  const across = image.originalWidth / image.width;
  const down = image.originalHeight / image.height;
  const left = clamp(Math.round(box.left * across), image.originalWidth - 1);
  const top = clamp(Math.round(box.top * down), image.originalHeight - 1);
  const right = clamp(Math.round(box.right * across), image.originalWidth);
  const bottom = clamp(Math.round(box.bottom * down), image.originalHeight);
  // A point at 10.7 lies in the pixel with the index 10.
  const pixelOf = ({ x, y }: Point): [number, number] => [
    clamp(Math.floor(x * across), image.originalWidth - 1),
    clamp(Math.floor(y * down), image.originalHeight - 1),
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

/**
 * Sorts detections by the published areas, the largest first. Rounding to pixels of the original image may
 * swap boxes that are nearly equal.
 */
export function largestFirst<D extends Detection>(detections: readonly D[], image: ScaledImage): D[] {
  return detections
    .map((detection) => {
      const { x, y, w, h } = facialArea(image, detection, null);
      const published = { left: x, top: y, right: x + w, bottom: y + h, score: detection.score };
      return { detection, published };
    })
    .toSorted((one, other) => compareBySize(one.published, other.published))
    .map(({ detection }) => detection);
}

function clamp(position: number, last: number): number {
  return Math.min(Math.max(position, 0), last);
}

type ScaledImage = { width: number; height: number; originalWidth: number; originalHeight: number };
