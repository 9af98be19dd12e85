import { readFile } from "node:fs/promises";
import type { Build, Model } from "./catalogue-entry.ts";
import { convert } from "./convert/networks.ts";
import { modelFile, sha256 } from "./model-file.ts";
import { writeWhole } from "./whole-file.ts";

/**
 * Makes one build of a model, unless the folder has it. The file appears whole or not at all: a service that
 * starts meanwhile never reads half of it, and a build that was killed leaves no file with the name of a
 * model. Throws if the bytes are not those of the catalogue.
 */
export async function buildModel(folder: string, model: Model, build: Build): Promise<"built" | "kept"> {
  const path = modelFile(folder, model, build);
  if ((await sha256Of(path)) === build.sha256) return "kept";

  const onnx = await convert(model, build, folder);
  const digest = sha256(onnx);
  if (digest !== build.sha256 || onnx.length !== build.bytes) {
    const expected = `the catalogue expects ${build.sha256} (${build.bytes} bytes)`;
    throw new Error(`${build.file} came out as ${digest} (${onnx.length} bytes); ${expected}`);
  }

  await writeWhole(path, onnx);
  return "built";
}

async function sha256Of(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes && sha256(bytes);
}
