import type { Size } from "./pixels.ts";

/** An axis-parallel rectangle. In pixels of an image, unless the user of the type says otherwise. */
export type Box = { left: number; top: number; right: number; bottom: number };

/** Area in square units of the box; negative for a box that is turned inside out. */
export function boxArea({ left, top, right, bottom }: Box): number {
  return (right - left) * (bottom - top);
}

/** The part that two boxes have in common. Where they have none, it is turned inside out: check its sides. */
export function intersection(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

/** Intersection over union (IoU, Jaccard index), from 0 to 1; 0 for boxes without an area. */
export function iou(a: Box, b: Box): number {
  const common = intersection(a, b);
  if (common.right <= common.left || common.bottom <= common.top) return 0;
  const commonArea = boxArea(common);
  return commonArea / (boxArea(a) + boxArea(b) - commonArea);
}

/**
 * Whether the middle of one box lies in the other. Detectors draw boxes of other shapes around the same face,
 * whose IoU is small.
 */
export const isSameFace = (a: Box, b: Box): boolean => holdsMiddle(a, b) || holdsMiddle(b, a);

function holdsMiddle({ left, top, right, bottom }: Box, inner: Box): boolean {
  const [x, y] = [(inner.left + inner.right) / 2, (inner.top + inner.bottom) / 2];
  return left < x && x < right && top < y && y < bottom;
}

/** The box with the same middle that is this many times as wide and as high. */
export function enlarged({ left, top, right, bottom }: Box, scale: number): Box {
  const wider = ((scale - 1) * (right - left)) / 2;
  const higher = ((scale - 1) * (bottom - top)) / 2;
  return { left: left - wider, top: top - higher, right: right + wider, bottom: bottom + higher };
}

/** The part of a box that lies in an image; undefined if it is less than one pixel wide or high. */
export function clip(box: Box, image: Size): Box | undefined {
  const clipped = intersection(box, wholeBox(image));
  return clipped.right - clipped.left >= 1 && clipped.bottom - clipped.top >= 1 ? clipped : undefined;
}

/** The box that covers a whole image. */
export function wholeBox({ width, height }: Size): Box {
  return { left: 0, top: 0, right: width, bottom: height };
}
