import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { buildModel } from "@faceline/models/build";
import { readCatalogue } from "@faceline/models/catalogue";
import { modelsFolder } from "@faceline/models/model-file";
import { decodePicture } from "../decode/decoder.ts";
import { pictureLimits } from "../decode/picture.ts";
import type { EnginePicture } from "./work.ts";

/** For tests and measurements: photographs of people, and the models to look at them with. */

/** Lies beside the repository where its owner put it, and is no part of it. */
const labelled = resolve(import.meta.dirname, "../../../../shared/data/faces");

/** A reason to skip a test, or false: what `skip` wants to know. */
export const withoutLabelled = existsSync(join(labelled, "master.csv"))
  ? false
  : "the labelled photographs are not here (../shared/data/faces)";

export function labelledPhotograph(name: string): Buffer {
  return readFileSync(join(labelled, name));
}

/** 300 pairs of file names. Lines end as on Windows, all but the last. */
export function labelledPairs(): { left: string; right: string; same: boolean }[] {
  const [, ...lines] = readFileSync(join(labelled, "master.csv"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const [left = "", right = "", decision] = line.trim().split(",");
    return { left, right, same: decision === "Yes" };
  });
}

/** Groups of people, 1 to 6. They come with the models' weights, so they are always here. */
export function groupPhotograph(number: number): Buffer {
  const faceApi = dirname(createRequire(import.meta.url).resolve("@vladmandic/face-api/package.json"));
  return readFileSync(join(faceApi, `demo/sample${number}.jpg`));
}

/** As the engine wants it. */
export async function pictureOf(
  bytes: Uint8Array,
  options: Partial<EnginePicture["options"]> = {},
): Promise<EnginePicture> {
  const picture = await decodePicture(bytes, pictureLimits);
  if (picture.kind === "rejected") throw new Error(`a photograph of the tests is bad: ${picture.code}`);
  const { pixels, width, height, originalWidth, originalHeight } = picture;
  const asked = { align: true, enforceDetection: true, facesMax: 100, fullResolution: true, ...options };
  return { pixels, width, height, originalWidth, originalHeight, options: asked };
}

/** Builds the models that are not there yet. */
export async function builtModels(): Promise<string> {
  const { models } = await readCatalogue();
  for (const model of models) {
    for (const build of model.builds) await buildModel(modelsFolder, model, build);
  }
  return modelsFolder;
}
