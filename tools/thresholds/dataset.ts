import { readFile, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import type { DatasetSource } from "./arguments.ts";
import { type LaneFaces, missingImages } from "./measure.ts";
import { type LabelledPairs, readLabelledPairs } from "./pairs/labelled-pairs.ts";
import { labelledSample } from "./pairs/labelled-sample.ts";
import { readPeople } from "./pairs/people-folder.ts";
import { peopleSample } from "./pairs/people-sample.ts";
import type { LaneSample } from "./report/report.ts";

/** Reads which images there are, and which of them are compared. Throws what is wrong, in sentences. */
export async function openDataset(source: DatasetSource): Promise<Dataset> {
  const { kind, path } = source;
  const name = basename(path);
  switch (kind) {
    case "pairs": {
      const labelled = await readPairs(path);
      const sample = (faces: LaneFaces) => labelledSample(labelled, faces);
      return { name, folder: dirname(path), images: labelled.images, sample };
    }
    case "people": {
      const people = await readPeople(path);
      const sample: Dataset["sample"] = (faces, options) => peopleSample(people, faces, options);
      return { name, folder: path, images: people.images, sample };
    }
  }
}

async function readPairs(path: string): Promise<LabelledPairs> {
  const { size } = await stat(path).catch((cause: unknown) => {
    throw new Error(`${path} cannot be read`, { cause });
  });
  if (size > csvBytesMax) throw new Error(`${path} has ${size} bytes; at most ${csvBytesMax} are read`);
  const labelled = readLabelledPairs(await readFile(path, "utf8"));
  if ("mistakes" in labelled) throw mistakesError(labelled.mistakes, path);
  const mistakes = await missingImages(labelled, dirname(path));
  if (mistakes.length > 0) throw mistakesError(mistakes, path);
  return labelled;
}

function mistakesError(mistakes: readonly string[], list: string): Error {
  const shown = mistakes.slice(0, mistakesShown);
  const more = mistakes.length > shown.length ? [`… and ${mistakes.length - shown.length} more`] : [];
  return new Error([`${list}:`, ...[...shown, ...more].map((line) => `  ${line}`)].join("\n"));
}

/** A CSV of a million pairs has about 50 MB. */
const csvBytesMax = 128 * 2 ** 20;
const mistakesShown = 20;

/** Images with labels. `sample` compares the embeddings of one lane. */
type Dataset = {
  name: string;
  /** Names of images are relative to it. */
  folder: string;
  images: readonly { name: string }[];
  sample: (
    faces: LaneFaces,
    options: { model: EmbeddingModel; progress: (done: number, of: number) => void },
  ) => LaneSample;
};
