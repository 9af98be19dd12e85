import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { facesFolder, type LabelledPair, labelledPairs, withoutFaces } from "@faceline/testing/faces";
import sharp from "sharp";
import { mean } from "./statistics.ts";

/** The sample photographs of the models' package: about 0.2 MB and a megapixel each, with 1 to 6 faces. */
export const photographs = [1, 2, 3, 4, 5, 6].map((index) =>
  join(repository, `node_modules/@vladmandic/face-api/demo/sample${index}.jpg`),
);

/** The smallest image that is accepted: with a modelled engine, what is left is the time of the hops. */
export const tinyJpeg = (): Promise<Buffer> => noiseJpeg(24, 40);

/** Some 100 KB, the size of a photograph of a face from a telephone. */
export const heavyJpeg = (): Promise<Buffer> => noiseJpeg(364, 87);

/** Noise, which JPEG cannot compress well; the same bytes every time. */
function noiseJpeg(sidePx: number, quality: number): Promise<Buffer> {
  const next = mulberry32(sidePx);
  const pixels = Buffer.from(Array.from({ length: sidePx * sidePx * 3 }, () => Math.floor(256 * next())));
  return sharp(pixels, { raw: { width: sidePx, height: sidePx, channels: 3 } })
    .jpeg({ quality })
    .toBuffer();
}

/** The labelled images where they are, else the sample photographs, without labels. */
export function faceImages(): FaceImages {
  if (withoutFaces) return { what: `sample photographs (${withoutFaces})`, files: photographs, labelled: [] };
  const labelled = labelledPairs();
  const names = new Set(labelled.flatMap(({ first, second }) => [first, second]));
  return { what: "labelled images", files: [...names].map((name) => join(facesFolder, name)), labelled };
}

/**
 * Pairs files that are neighbours by number. Each file is in one pair at most; the same files give the same
 * pairs.
 */
export function neighbourPairs(files: string[], countMax: number): [string, string][] {
  const inOrder = files.toSorted((a, b) => byNumber.compare(basename(a), basename(b)));
  const count = Math.min(countMax, Math.floor(inOrder.length / 2));
  return Array.from({ length: count }, (_, index) => [inOrder[2 * index]!, inOrder[2 * index + 1]!]);
}

/** Bodies of /verify: twelve pairs of images as data URLs. */
export const verifyBodies = (files: string[], pairs = 12): { img1: string; img2: string }[] =>
  neighbourPairs(files, pairs).map(([first, second]) => ({ img1: dataUrl(first), img2: dataUrl(second) }));

const byNumber = new Intl.Collator("en", { numeric: true });

/**
 * Returns the same order every time, in which every beginning is a fair sample: the file has pairs of one
 * kind first.
 */
export function shuffled<T>(all: T[]): T[] {
  const next = mulberry32(all.length);
  return all
    .map((each) => ({ each, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ each }) => each);
}

/** `mean 1.47 Mpx, 314 KiB`. sharp gets bytes: once loaded, the decoder blocks its readers of files. */
export async function sizesText(files: string[]): Promise<string> {
  const all = files.map((file) => readFileSync(file));
  const sizes = await Promise.all(all.map((bytes) => sharp(bytes).metadata()));
  const megapixels = mean(sizes.map(({ width, height }) => (width * height) / 1e6));
  return `mean ${megapixels.toFixed(2)} Mpx, ${mean(all.map(({ length }) => length / 1_024)).toFixed(0)} KiB`;
}

export const dataUrl = (file: string): string =>
  `data:image/jpeg;base64,${readFileSync(file).toString("base64")}`;

type FaceImages = { what: string; files: string[]; labelled: LabelledPair[] };
