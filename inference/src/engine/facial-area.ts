import type { FacialArea } from "@faceline/contracts/http/facial-area";
import type { Point, Rectangle } from "../align/affine.ts";
import { leftEye, rightEye } from "../align/mean-face.ts";
import { meanOf } from "../align/similarity.ts";

/** The middle of each eye, the person's own left and right. */
export function eyesOf(landmarks: readonly Point[]): Eyes {
  return {
    left: meanOf(leftEye.map((i) => landmarks[i]!)),
    right: meanOf(rightEye.map((i) => landmarks[i]!)),
  };
}

/** From pixels of the picture that was searched to whole pixels of the one that was sent; always inside it. */
export function areaOf(picture: ScaledPicture, box: Rectangle, eyes: Eyes | null): FacialArea {
  const across = picture.originalWidth / picture.width;
  const down = picture.originalHeight / picture.height;
  const left = within(Math.round(box.left * across), picture.originalWidth - 1);
  const top = within(Math.round(box.top * down), picture.originalHeight - 1);
  const right = within(Math.round(box.right * across), picture.originalWidth);
  const bottom = within(Math.round(box.bottom * down), picture.originalHeight);
  // A point at 10.7 lies in the pixel that counts as 10.
  const pixelOf = ({ x, y }: Point): [number, number] => [
    within(Math.floor(x * across), picture.originalWidth - 1),
    within(Math.floor(y * down), picture.originalHeight - 1),
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

function within(position: number, last: number): number {
  return Math.min(Math.max(position, 0), last);
}

export type Eyes = { left: Point; right: Point };

type ScaledPicture = { width: number; height: number; originalWidth: number; originalHeight: number };
