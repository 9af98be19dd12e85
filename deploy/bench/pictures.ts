import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { repository } from "../launcher/state-folder.ts";
import { facesFolder, type LabelledPair, labelledPairs, withoutFaces } from "../testing/faces.ts";
import { mulberry32 } from "./statistics.ts";

/** The sample photographs of the models' package: some 0.2 MB and a megapixel each, with 1 to 6 faces. */
export const photographs = [1, 2, 3, 4, 5, 6].map((index) =>
  join(repository, `node_modules/@vladmandic/face-api/demo/sample${index}.jpg`),
);

/** Writes the same at a width of 400 px, like thumbnails, into a folder and returns the files. */
export function thumbnails(folder: string): Promise<string[]> {
  return Promise.all(
    photographs.map(async (file, index) => {
      const small = join(folder, `small${index}.jpg`);
      await sharp(file).resize({ width: 400 }).jpeg({ quality: 85 }).toFile(small);
      return small;
    }),
  );
}

/** The smallest picture that is accepted: with a modelled engine, what is left is the time of the hops. */
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

/** The labelled pictures where they are, else the sample photographs, without labels. */
export function facePictures(): FacePictures {
  if (withoutFaces) return { what: `sample photographs (${withoutFaces})`, files: photographs, labelled: [] };
  const labelled = labelledPairs();
  const names = new Set(labelled.flatMap(({ first, second }) => [first, second]));
  return { what: "labelled pictures", files: [...names].map((name) => join(facesFolder, name)), labelled };
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

/** Bodies of /verify: twelve pairs of pictures as data URLs. */
export const verifyBodies = (files: string[], pairs = 12): { img1: string; img2: string }[] =>
  neighbourPairs(files, pairs).map(([first, second]) => ({ img1: dataUrl(first), img2: dataUrl(second) }));

/** A body of /compare. Its numbers are as long in JSON as those of an embedding. */
export function comparisonOfVectors(length: number, candidates: number): string {
  const next = mulberry32(length);
  const vector = () => Array.from({ length }, () => Math.fround(next() - 0.5));
  return JSON.stringify({ vector: vector(), candidates: Array.from({ length: candidates }, vector) });
}

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

export const dataUrl = (file: string): string =>
  `data:image/jpeg;base64,${readFileSync(file).toString("base64")}`;

/**
 * Pictures as clients send them, most of them small, with the percentage of each kind. They are made from the
 * sample photographs of the models' package, and from the labelled pictures where those are.
 */
const kinds: Kind[] = [
  { name: "JPEG, 240 px", percent: 36, make: (photograph) => jpeg(resized(photograph, 240)) },
  { name: "JPEG, 480 px", percent: 24, make: (photograph) => jpeg(resized(photograph, 480)) },
  {
    name: "progressive JPEG, 640 px",
    percent: 8,
    make: (photograph) => resized(photograph, 640).jpeg({ progressive: true }).toBuffer(),
  },
  {
    name: "JPEG rotated by EXIF, 400 px",
    percent: 5,
    make: (photograph) => jpeg(resized(photograph, 400).rotate(90).withMetadata({ orientation: 8 })),
  },
  {
    name: "grey JPEG, 320 px",
    percent: 4,
    make: (photograph) => jpeg(resized(photograph, 320).grayscale()),
  },
  { name: "PNG, 320 px", percent: 6, make: (photograph) => resized(photograph, 320).png().toBuffer() },
  { name: "WebP, 480 px", percent: 6, make: (photograph) => resized(photograph, 480).webp().toBuffer() },
  { name: "unchanged", percent: 4, make: async (photograph) => readFileSync(photograph) },
  {
    name: "JPEG, 12 megapixels",
    percent: 1,
    make: (photograph) => jpeg(sharp(photograph).resize(4_000, 3_000, { fit: "cover" })),
  },
  {
    name: "truncated",
    percent: 3,
    async make(photograph) {
      const whole = await jpeg(resized(photograph, 480));
      return whole.subarray(0, 0.6 * whole.length);
    },
  },
  {
    name: "no face",
    percent: 3,
    make: (photograph) =>
      jpeg(sharp(photograph).extract({ left: 0, top: 0, width: 60, height: 60 }).resize(400)),
  },
];

/**
 * Returns one picture of each kind from each source, and the index of the picture of each of `count` calls.
 */
export async function mixedPictures(count: number): Promise<{ pictures: Buffer[]; order: number[] }> {
  const labelled = existsSync(facesFolder)
    ? readdirSync(facesFolder).filter((name) => name.endsWith(".jpg"))
    : [];
  const sources = [...photographs, ...labelled.slice(0, 6).map((name) => join(facesFolder, name))];
  const pictures: Buffer[] = [];
  const drawn: number[] = [];
  for (const { percent, make } of kinds) {
    const first = pictures.length;
    for (const source of sources) pictures.push(await make(source));
    for (let i = 0; i < percent; i++) drawn.push(first);
  }
  const next = mulberry32(count);
  const order = Array.from({ length: count }, () => {
    const first = drawn[Math.floor(drawn.length * next())]!;
    return first + Math.floor(sources.length * next());
  });
  return { pictures, order };
}

export const mixture = kinds.map(({ name, percent }) => `${percent} % ${name}`).join(", ");

const resized = (photograph: string, px: number): Sharp =>
  sharp(photograph).resize(px, px, { fit: "inside" });
const jpeg = (picture: Sharp): Promise<Buffer> => picture.jpeg({ quality: 85 }).toBuffer();

type FacePictures = { what: string; files: string[]; labelled: LabelledPair[] };

type Kind = { name: string; percent: number; make(photograph: string): Promise<Buffer> };
