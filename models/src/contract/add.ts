import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildModel } from "../build.ts";
import { addedFolder, readCatalogue } from "../catalogue.ts";
import type { Model } from "../catalogue-entry.ts";
import { CheckedModel } from "../entry-rules.ts";
import { adaptOnnx } from "./adapter.ts";
import { checkRecogniser } from "./check.ts";
import { adaptedFile, entryOf, folderName, licenceTextFile } from "./entry.ts";
import type { StatedContract } from "./read-contract.ts";

/**
 * Adds a recogniser to the folder of built models: adapts its file, checks it against its contract, makes its
 * golden embeddings, and writes a catalogue entry, which every service of this installation reads at its next
 * start. Appears whole or not at all. Throws one sentence.
 */
export async function addRecogniser(
  folder: string,
  original: Uint8Array,
  stated: StatedContract,
  check: typeof checkRecogniser = checkRecogniser,
): Promise<Model> {
  const { contract, licenceText } = stated;
  await requireFreeName(folder, contract.name);
  const onnx = adaptOnnx(original, contract);
  const golden = await check(onnx, contract);
  const entry = entryOf(contract, { onnx, original, golden });
  // A mistake here would stop every service at its next start.
  CheckedModel.parse(entry);

  const parent = addedFolder(folder);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeLeftOver(parent);
  const staging = await mkdtemp(join(parent, stagingPrefix));
  const target = join(parent, folderName(contract.name));
  try {
    await writeFile(join(staging, adaptedFile), onnx, { flush: true });
    await writeFile(join(staging, licenceTextFile), licenceText, { flush: true });
    await writeFile(join(staging, "model.json"), `${JSON.stringify(entry, undefined, 2)}\n`, { flush: true });
    await rename(staging, target);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new Error(code === "ENOSPC" ? `The disk of ${folder} is full.` : message, { cause });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  const { models } = await readCatalogue(undefined, parent);
  const model = models.find(({ name }) => name === contract.name)!;
  for (const build of model.builds) await buildModel(folder, model, build);
  return model;
}

/** Removes what commands left that were killed an hour ago or more. */
async function removeLeftOver(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (!name.startsWith(stagingPrefix)) continue;
    const since = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (since !== undefined && Date.now() - since > stagingKeptMs)
      await rm(path, { recursive: true, force: true });
  }
}

/** The dot keeps it out of the catalogue. */
const stagingPrefix = ".add-";
const stagingKeptMs = 3_600_000;

async function requireFreeName(folder: string, name: string): Promise<void> {
  const { models } = await readCatalogue(undefined, addedFolder(folder));
  const taken = models.find((model) => folderName(model.name) === folderName(name));
  if (taken === undefined) return;
  throw new Error(`The name ${name} is taken by a model of the catalogue: choose another one.`);
}
