import type { Box } from "@faceline/inference/geometry/box";
import type { Pixels, Size } from "@faceline/inference/geometry/pixels";
import sharp, { type Sharp } from "sharp";
import { frameFace, tightCrop } from "./framing.ts";

/**
 * Images of which it is known where faces are, made of photographs with one face whose box is known: tight
 * crops, turned and small faces, and two people. Each is deterministic.
 */
export const sceneSets: Readonly<Record<string, MakeScene>> = {
  "as it is": async ({ image, box }) => scene(image, centreFace(box)),
  "tight, 0.9": (photograph) => tight(photograph, 0.9),
  "tight, 0.7": (photograph) => tight(photograph, 0.7),
  "tight, 150 px": (photograph) => tight(photograph, 0.9, 150),
  "turned by 30°": ({ image, box }) => rolled(image, box, 30),
  "far, 7%": async (photograph) => {
    const frame = { width: 1_600, height: 1_200 };
    return scene(await framed(photograph, 0.07, frame), framedFace(0.07, frame));
  },
  "beside a face of 10%": (photograph, next) => pair(photograph, next, [0.175, 0.1]),
};

/** How many of the scene's faces the boxes show, and how many boxes show none of them. */
export function matchFaces({ faces }: Scene, boxes: readonly Box[]): { found: number; extra: number } {
  const shows = (box: Box, { x, y, width }: KnownFace): boolean => {
    const ratio = (box.right - box.left) / width;
    const inside = box.left < x && x < box.right && box.top < y && y < box.bottom;
    return inside && ratio > 1 / widthRatioMax && ratio < widthRatioMax;
  };
  return {
    found: faces.filter((face) => boxes.some((box) => shows(box, face))).length,
    extra: boxes.filter((box) => !faces.some((face) => shows(box, face))).length,
  };
}

/** Detectors draw their boxes differently: a square from eyebrows to chin, or the whole head. */
const widthRatioMax = 2;

export function scene(image: Pixels, ...faces: KnownFace[]): Scene {
  return { image, faces };
}

export function centreFace({ left, top, right, bottom }: Box): KnownFace {
  return { x: (left + right) / 2, y: (top + bottom) / 2, width: right - left };
}

/** The image cut to a share of the face's box each way, and resized to `widthPx`. */
export async function tight(
  { image, box }: BoxedPhotograph,
  share: number,
  widthPx?: number,
): Promise<Scene> {
  const cut = tightCrop(box, share, image);
  const resized = await pixelsOf(
    open(image)
      .extract(cut)
      .resize({ width: widthPx ?? cut.width }),
  );
  const { width, height } = resized;
  return scene(resized, { x: width / 2, y: height / 2, width });
}

/** sharp turns clockwise, around the middle, and enlarges the image as needed. */
export async function rolled(image: Pixels, box: Box, degrees: number): Promise<Scene> {
  const turned = await pixelsOf(open(image).rotate(degrees, { background: "#000000" }));
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const { x, y, width } = centreFace(box);
  const [dx, dy] = [x - image.width / 2, y - image.height / 2];
  return scene(turned, {
    x: turned.width / 2 + cos * dx - sin * dy,
    y: turned.height / 2 + sin * dx + cos * dy,
    width,
  });
}

/** The image without its left part, which ends where a share of the face does. */
export async function cutByRim(image: Pixels, box: Box, share: number): Promise<Scene> {
  const { x, y, width } = centreFace(box);
  const left = Math.max(0, Math.round(box.left + share * width));
  const cut = { left, top: 0, width: image.width - left, height: image.height };
  const visible = { x: (box.right - left) / 2, y, width: box.right - left };
  return scene(await pixelsOf(open(image).extract(cut)), x < left ? visible : { ...visible, x: x - left });
}

/** The rest of the frame repeats the image's rim. */
export async function framed({ image, box }: BoxedPhotograph, share: number, frame: Size): Promise<Pixels> {
  const { cut, size, margins } = frameFace(box, share, frame, image);
  const shrunk = open(image)
    .extract(cut)
    .resize({ ...size, fit: "fill" });
  return pixelsOf(shrunk.extend({ ...margins, extendWith: "copy" }));
}

export function framedFace(share: number, { width, height }: Size): KnownFace {
  return { x: width / 2, y: height / 2, width: share * width };
}

/** `shares` of the width of the whole image. */
async function pair(
  left: BoxedPhotograph,
  right: BoxedPhotograph,
  shares: readonly [number, number],
): Promise<Scene> {
  const half = { width: 800, height: 1_000 };
  const [one, other] = [await framed(left, 2 * shares[0], half), await framed(right, 2 * shares[1], half)];
  const pixels = new Uint8Array(one.pixels.length + other.pixels.length);
  const rowBytes = 3 * half.width;
  for (let row = 0; row < half.height; row++) {
    for (const [side, { pixels: source }] of [one, other].entries()) {
      pixels.set(source.subarray(row * rowBytes, (row + 1) * rowBytes), (2 * row + side) * rowBytes);
    }
  }
  const faces = [framedFace(2 * shares[0], half), framedFace(2 * shares[1], half)] as const;
  const image = { pixels, width: 2 * half.width, height: half.height };
  return scene(image, faces[0], { ...faces[1], x: half.width + faces[1].x });
}

export function open({ pixels, width, height }: Pixels): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

export async function pixelsOf(image: Sharp): Promise<Pixels> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height };
}

export function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))}%`;
}

/** A photograph with one face, and its box. */
export type BoxedPhotograph = { image: Pixels; box: Box };

/** Its centre and its width, in pixels of the image. */
type KnownFace = { x: number; y: number; width: number };

export type Scene = { image: Pixels; faces: readonly KnownFace[] };

/** `next` is another photograph, of somebody else or the same person. */
type MakeScene = (photograph: BoxedPhotograph, next: BoxedPhotograph) => Promise<Scene>;
