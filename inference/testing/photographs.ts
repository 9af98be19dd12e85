import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { buildModel } from "@faceline/models/build";
import { readCatalogue } from "@faceline/models/catalogue";
import { modelsFolder } from "@faceline/models/model-file";
import { isUnpulled } from "@faceline/models/source";
import { decodeImage } from "../src/decode/decoder.ts";
import { defaultImageLimits } from "../src/decode/image.ts";
import type { EngineImage } from "../src/engine/work.ts";

/** Photographs of people, and the built models, for tests and measurements. */

/**
 * The labelled photographs: images and a `master.csv` of pairs. They are not part of the repository;
 * without FACELINE_TEST_FACES they are expected beside it.
 */
const labelledFolder = resolve(
  process.env["FACELINE_TEST_FACES"] || join(import.meta.dirname, "../../../shared/data/faces"),
);

/**
 * Why tests over the labelled photographs are skipped, as the test runner shows it; false if they are
 * available.
 */
export const labelledPhotographsMissing: string | false = existsSync(join(labelledFolder, "master.csv"))
  ? false
  : `no labelled photographs: there is no ${join(labelledFolder, "master.csv")} (set FACELINE_TEST_FACES to their folder)`;

export function labelledPhotograph(name: string): Buffer {
  return readFileSync(join(labelledFolder, name));
}

/** 300 pairs of file names. Lines end as on Windows, except for the last. */
export function labelledPairs(): { left: string; right: string; same: boolean }[] {
  const [, ...lines] = readFileSync(join(labelledFolder, "master.csv"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const [left = "", right = "", decision] = line.trim().split(",");
    return { left, right, same: decision === "Yes" };
  });
}

/** The names of all photographs of the pairs, each once. */
export function labelledNames(): string[] {
  return [...new Set(labelledPairs().flatMap(({ left, right }) => [left, right]))];
}

/** Group photographs 1 to 6. They come with the weights of the models, so they are always available. */
export function groupPhotograph(number: number): Buffer {
  const faceApi = dirname(createRequire(import.meta.url).resolve("@vladmandic/face-api/package.json"));
  return readFileSync(join(faceApi, `demo/sample${number}.jpg`));
}

const samplesFolder = join(import.meta.dirname, "../../web/src/samples");

/** The samples of the public pages: two images each of people who do not exist, "ada-1.jpg" and so on. */
export const sampleImageNames: readonly string[] = readdirSync(samplesFolder)
  .filter((name) => name.endsWith(".jpg"))
  .toSorted();

export function sampleImage(name: string): Buffer {
  return readFileSync(join(samplesFolder, name));
}

/** A decoded photograph as the engine takes it; every face is wanted unless `options` say otherwise. */
export async function engineImage(
  bytes: Uint8Array,
  options: Partial<EngineImage["options"]> = {},
): Promise<EngineImage> {
  const image = await decodeImage(bytes, defaultImageLimits);
  if (image.kind === "rejected") throw new Error(`a photograph of the tests was rejected: ${image.code}`);
  const { pixels, width, height, originalWidth, originalHeight } = image;
  const defaults = { align: true, enforceDetection: true, facesMax: 100, fullResolution: true };
  return { pixels, width, height, originalWidth, originalHeight, options: { ...defaults, ...options } };
}

/** Builds, once, the models that are not built yet, and whose weights are here. Returns their folder. */
export const builtModels = (): Promise<string> => (built ??= buildModels());
let built: Promise<string> | undefined;

async function buildModels(): Promise<string> {
  const { models } = await readCatalogue();
  for (const model of models) {
    if (isUnpulled(modelsFolder, model.source)) continue;
    for (const build of model.builds) await buildModel(modelsFolder, model, build);
  }
  return modelsFolder;
}
