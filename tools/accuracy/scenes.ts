import type { Box } from "@faceline/inference/geometry/box";
import type { Pixels, Size } from "@faceline/inference/geometry/pixels";
import sharp, { type Sharp } from "sharp";
import { frameFace, tightCrop } from "./framing.ts";

/**
 * Images of which it is known where faces are, made of photographs with one face whose box is known: small
 * faces, tight crops, turned ones, faces that the rim cuts, two people, and nobody. Each is deterministic.
 */
export const sceneSets: readonly SceneSet[] = [
  set("as it is", "the photographs", async ({ image, box }) => [scene(image, centreFace(box))]),
  ...[0.9, 0.7].map((share) =>
    set(`tight, ${share}`, `cut to ${share} of the face's box each way`, async ({ image, box }) => [
      await tight(open(image), tightCrop(box, share, image)),
    ]),
  ),
  set("tight, 150 px", "cut to 0.9 of the face's box, and shrunk to 150 pixels", async ({ image, box }) => [
    await tight(open(image), tightCrop(box, 0.9, image), 150),
  ]),
  set("roll", "turned by 30 degrees, black beside it", async ({ image, box }) => [
    await rolled(image, box, 30),
  ]),
  set("rim", "a third of the face is outside the image, at its left", async ({ image, box }) => [
    await cutByRim(image, box, 1 / 3),
  ]),
  ...[0.07, 0.05, 0.035, 0.025].map((share) =>
    set(`far, ${percent(share)}`, `the face is that wide in a frame of 1600 × 1200`, async (photograph) => {
      const frame = { width: 1_600, height: 1_200 };
      return [scene(await framed(photograph, share, frame), framedFace(share, frame))];
    }),
  ),
  ...[0.1, 0.08, 0.06, 0.04, 0.025].map((share) =>
    set(
      `second, ${percent(share)}`,
      "two photographs side by side: one face is 17.5 % of the image's width, and one that wide",
      async (photograph, next) => [await pair(photograph, next, [0.175, share])],
    ),
  ),
  set("nobody", "what is below the face", async ({ image, box }) => belowFace(image, box)),
];

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

function set(name: string, how: string, make: SceneSet["make"]): SceneSet {
  return { name, how, make };
}

export function scene(image: Pixels, ...faces: KnownFace[]): Scene {
  return { image, faces };
}

export function centreFace({ left, top, right, bottom }: Box): KnownFace {
  return { x: (left + right) / 2, y: (top + bottom) / 2, width: right - left };
}

async function tight(image: Sharp, cut: Cut, widthPx: number = cut.width): Promise<Scene> {
  const resized = await pixelsOf(image.extract(cut).resize({ width: widthPx }));
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

async function cutByRim(image: Pixels, box: Box, share: number): Promise<Scene> {
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

/** Nothing where less than 100 pixels are left. */
async function belowFace(image: Pixels, box: Box): Promise<Scene[]> {
  const top = Math.round(box.bottom + 0.3 * (box.bottom - box.top));
  const height = image.height - top;
  if (height < 100) return [];
  return [scene(await pixelsOf(open(image).extract({ left: 0, top, width: image.width, height })))];
}

export function open({ pixels, width, height }: Pixels): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

export async function pixelsOf(image: Sharp): Promise<Pixels> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height };
}

export function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`;
}

type Cut = { left: number; top: number } & Size;

/** A photograph with one face, and its box. */
export type BoxedPhotograph = { image: Pixels; box: Box };

/** Its centre and its width, in pixels of the image. */
type KnownFace = { x: number; y: number; width: number };

export type Scene = { image: Pixels; faces: readonly KnownFace[] };

type SceneSet = {
  name: string;
  how: string;
  /** The scenes of one photograph; `next` is another one, of somebody else or the same person. */
  make(photograph: BoxedPhotograph, next: BoxedPhotograph): Promise<Scene[]>;
};
