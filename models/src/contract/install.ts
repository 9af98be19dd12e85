import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildModel } from "../build.ts";
import { addedFolder, readCatalogue } from "../catalogue.ts";
import type { Model } from "../catalogue-entry.ts";
import { sentenceOnDisk } from "../disk-room.ts";
import { CheckedModel } from "../entry-rules.ts";
import { openStagingFolder } from "../staging-folder.ts";
import { adaptedFile, folderName, licenceTextFile } from "./entry.ts";

/**
 * Writes the entry of an added model, its file and its licence into the folder of built models. Appears whole
 * or not at all. Throws one sentence.
 */
export async function installAdded(
  folder: string,
  { entry, onnx, licenceText }: { entry: Model; onnx: Uint8Array; licenceText: string },
): Promise<Model> {
  // A mistake here would stop every service at its next start.
  CheckedModel.parse(entry);

  const parent = addedFolder(folder);
  await using staging = await openStagingFolder(parent, ".add-");
  const write = (name: string, content: string | Uint8Array) =>
    writeFile(join(staging.path, name), content, { flush: true });
  try {
    await write(adaptedFile, onnx);
    await write(licenceTextFile, licenceText);
    await write("model.json", `${JSON.stringify(entry, undefined, 2)}\n`);
    await rename(staging.path, join(parent, folderName(entry.name)));
  } catch (cause) {
    throw new Error(sentenceOnDisk(cause, folder), { cause });
  }
  const { models } = await readCatalogue(undefined, parent);
  const model = models.find(({ name }) => name === entry.name)!;
  for (const build of model.builds) await buildModel(folder, model, build);
  return model;
}
