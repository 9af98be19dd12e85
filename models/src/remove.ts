import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { addedFolder } from "./catalogue.ts";
import type { Model } from "./catalogue-entry.ts";
import { folderName } from "./contract/entry.ts";
import { acceptanceFile } from "./licence/acceptance.ts";
import { removeLocalThresholds } from "./local-thresholds.ts";
import { modelFile } from "./model-file.ts";
import { isUnpulled, pulledFiles, pulledFolder } from "./source.ts";

/**
 * Removes a model that was added or pulled: its built files, its weights, and the record of its licence. Of
 * an added model its entry too, and its local thresholds, with which no service would start any more. Returns
 * what was removed. Throws one sentence if nothing can be removed.
 */
export async function removeModel(folder: string, models: readonly Model[], name: string): Promise<string[]> {
  const model = models.find((each) => each.name === name);
  if (model === undefined)
    throw new Error(`the catalogue has no ${name}; "npm run models -- list" shows its models`);
  const { source } = model;
  if (source.kind === "npm_tfjs") {
    throw new Error(
      `${name} comes with Faceline and cannot be removed; MODELS and DETECTORS say what workers load`,
    );
  }
  const built = model.builds.map((build) => modelFile(folder, model, build)).filter(existsSync);
  const isAdded = source.kind === "onnx_file";
  if (!isAdded && isUnpulled(folder, source) && built.length === 0) {
    throw new Error(`${name} was not pulled, so there is nothing to remove`);
  }
  const removed: string[] = [];
  const remove = async (path: string): Promise<void> => {
    if (!existsSync(path)) return;
    await rm(path, { recursive: true });
    removed.push(path);
  };
  if (isAdded) {
    // Services read it whole or not at all: the dot keeps it out of the catalogue.
    const entry = join(addedFolder(folder), folderName(name));
    const leaving = join(addedFolder(folder), `.remove-${folderName(name)}`);
    await rm(leaving, { recursive: true, force: true });
    await rename(entry, leaving);
    removed.push(entry);
    const thresholds = await removeLocalThresholds(folder, name);
    if (thresholds !== undefined) removed.push(thresholds);
    await rm(leaving, { recursive: true });
  } else {
    const root = pulledFolder(folder, source);
    for (const path of pulledFiles(folder, source)) {
      await remove(path);
      await removeEmpty(dirname(path), root);
    }
    await removeUnused(root);
  }
  for (const path of built) await remove(path);
  await remove(acceptanceFile(folder, name));
  return removed;
}

/** Empty folders up to `root`. */
async function removeEmpty(folder: string, root: string): Promise<void> {
  for (let path = folder; path.length > root.length; path = dirname(path)) {
    if (!existsSync(path) || (await readdir(path)).length > 0) return;
    await rm(path, { recursive: true });
  }
}

/** The folder of a package that contains only its licence. */
async function removeUnused(root: string): Promise<void> {
  if (!existsSync(root)) return;
  const names = await readdir(root);
  if (names.every((name) => name === "LICENSE")) await rm(root, { recursive: true });
}
