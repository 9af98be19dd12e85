import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { facesFolder, type LabelledPair, labelledPairs, withoutFaces } from "../testing/faces.ts";
import { mulberry32 } from "./arrivals.ts";
import { photographs } from "./pictures.ts";

/** The pictures of the part `faces`: the labelled ones where they are, else those of the models' package, without labels. */
export function facePictures(): FacePictures {
  if (withoutFaces) return { what: `sample photographs (${withoutFaces})`, files: photographs, labelled: [] };
  const labelled = labelledPairs();
  const names = new Set(labelled.flatMap(({ first, second }) => [first, second]));
  return { what: "labelled pictures", files: [...names].map((name) => join(facesFolder, name)), labelled };
}

/** Neighbours by number, two by two: every picture stands in one pair at most, and the same files give the same pairs. */
export function rotatingPairs(files: string[], countMax: number): [string, string][] {
  const inOrder = files.toSorted((a, b) => byNumber.compare(basename(a), basename(b)));
  const count = Math.min(countMax, Math.floor(inOrder.length / 2));
  return Array.from({ length: count }, (_, index) => [inOrder[2 * index]!, inOrder[2 * index + 1]!]);
}

const byNumber = new Intl.Collator("en", { numeric: true });

/** The same order every time, in which every beginning is a fair sample: in the file, all of one kind come first. */
export function shuffled<T>(all: T[]): T[] {
  const next = mulberry32(all.length);
  return all
    .map((each) => ({ each, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ each }) => each);
}

export const dataUrl = (file: string): string =>
  `data:image/jpeg;base64,${readFileSync(file).toString("base64")}`;

export type FacePictures = { what: string; files: string[]; labelled: LabelledPair[] };
