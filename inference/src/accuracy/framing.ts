import type { Rectangle } from "../align/affine.ts";
import type { Size } from "../detect/window.ts";

/** Part of a box about its middle, in whole pixels of the picture that it lies in. */
export function tightCropOf(box: Rectangle, share: number, picture: Size): Cut {
  const [width, height] = [share * (box.right - box.left), share * (box.bottom - box.top)];
  const { x, y } = middleOf(box);
  return cutOf(
    { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 },
    picture,
  );
}

/**
 * How a picture is shrunk, or cut, and put into a frame whose middle is the face's, so that the face's box takes this
 * share of the frame's width. What the frame has beyond the picture is the caller's to fill.
 */
export function framingOf(box: Rectangle, share: number, frame: Size, picture: Size): Framing {
  const scale = (share * frame.width) / (box.right - box.left);
  const { x, y } = middleOf(box);
  const [width, height] = [frame.width / scale, frame.height / scale];
  const cut = cutOf(
    { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 },
    picture,
  );
  const size = {
    width: Math.min(frame.width, Math.max(1, Math.round(cut.width * scale))),
    height: Math.min(frame.height, Math.max(1, Math.round(cut.height * scale))),
  };
  const left = within((cut.left - (x - width / 2)) * scale, frame.width - size.width);
  const top = within((cut.top - (y - height / 2)) * scale, frame.height - size.height);
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

/** The size at which the box is so many pixels wide. */
export function sizeFor(box: Rectangle, boxWidthPx: number, picture: Size): Size {
  const scale = boxWidthPx / (box.right - box.left);
  return {
    width: Math.max(1, Math.round(picture.width * scale)),
    height: Math.max(1, Math.round(picture.height * scale)),
  };
}

function cutOf({ left, top, right, bottom }: Rectangle, picture: Size): Cut {
  const from = { x: within(left, picture.width - 1), y: within(top, picture.height - 1) };
  return {
    left: from.x,
    top: from.y,
    width: Math.max(1, within(right, picture.width) - from.x),
    height: Math.max(1, within(bottom, picture.height) - from.y),
  };
}

function middleOf({ left, top, right, bottom }: Rectangle): { x: number; y: number } {
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
}

function within(position: number, last: number): number {
  return Math.min(Math.max(Math.round(position), 0), last);
}

/** In whole pixels. */
export type Cut = { left: number; top: number } & Size;

/** What is cut out of the picture, the size that it gets, and how much frame there is round it. */
export type Framing = { cut: Cut; size: Size; margins: Rectangle };
