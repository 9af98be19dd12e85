import type { Box } from "@faceline/inference/geometry/box";
import type { Size } from "@faceline/inference/geometry/pixels";

/** The middle part of a box, in whole pixels of the image. */
export function tightCrop(box: Box, share: number, image: Size): Cut {
  const [width, height] = [share * (box.right - box.left), share * (box.bottom - box.top)];
  const { x, y } = centreOf(box);
  return clippedCut(
    { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 },
    image,
  );
}

/**
 * How an image is shrunk or cut, and put into a frame with the face in its middle, so that the face's box
 * takes this share of the frame's width. The caller fills what the frame has beyond the image.
 */
export function frameFace(box: Box, share: number, frame: Size, image: Size): Framing {
  const scale = (share * frame.width) / (box.right - box.left);
  const { x, y } = centreOf(box);
  const [width, height] = [frame.width / scale, frame.height / scale];
  const cut = clippedCut(
    { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 },
    image,
  );
  const size = {
    width: Math.min(frame.width, Math.max(1, Math.round(cut.width * scale))),
    height: Math.min(frame.height, Math.max(1, Math.round(cut.height * scale))),
  };
  const left = clampRound((cut.left - (x - width / 2)) * scale, frame.width - size.width);
  const top = clampRound((cut.top - (y - height / 2)) * scale, frame.height - size.height);
  return {
    cut,
    size,
    margins: {
      left,
      top,
      right: frame.width - size.width - left,
      bottom: frame.height - size.height - top,
    },
  };
}

/** The size of the image at which the box is `boxWidthPx` wide. */
export function sizeFor(box: Box, boxWidthPx: number, image: Size): Size {
  const scale = boxWidthPx / (box.right - box.left);
  return {
    width: Math.max(1, Math.round(image.width * scale)),
    height: Math.max(1, Math.round(image.height * scale)),
  };
}

function clippedCut({ left, top, right, bottom }: Box, image: Size): Cut {
  const from = { x: clampRound(left, image.width - 1), y: clampRound(top, image.height - 1) };
  return {
    left: from.x,
    top: from.y,
    width: Math.max(1, clampRound(right, image.width) - from.x),
    height: Math.max(1, clampRound(bottom, image.height) - from.y),
  };
}

function centreOf({ left, top, right, bottom }: Box): { x: number; y: number } {
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
}

function clampRound(position: number, last: number): number {
  return Math.min(Math.max(Math.round(position), 0), last);
}

/** Whole pixels. */
type Cut = { left: number; top: number } & Size;

/**
 * The part that is cut out of the image, its size after resizing, and the margins of the frame around it.
 */
type Framing = { cut: Cut; size: Size; margins: Box };
