import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildModel } from "../build.ts";
import { addedFolder, readCatalogue } from "../catalogue.ts";
import type { Model } from "../catalogue-entry.ts";
import { sentenceOnDisk } from "../disk-room.ts";
import { CheckedModel } from "../entry-rules.ts";
import { openStagingFolder } from "../staging-folder.ts";
import { adaptOnnx } from "./adapter.ts";
import { checkRecogniser } from "./check.ts";
import { adaptedFile, entryOf, folderName, licenceTextFile } from "./entry.ts";
import type { StatedContract } from "./read-contract.ts";
import { speedUp } from "./speed-up.ts";

/**
 * Adds a recogniser to the folder of built models: adapts its file, checks it against its contract, changes
 * what makes it slow, makes its golden embeddings, and writes a catalogue entry, which every service of this
 * installation reads at its next start. Appears whole or not at all. Throws one sentence.
 */
export async function addRecogniser(
  folder: string,
  original: Uint8Array,
  stated: StatedContract,
  check: typeof checkRecogniser = checkRecogniser,
  print: (line: string) => void = () => {},
): Promise<Model> {
  const { contract, licenceText } = stated;
  await requireFreeName(folder, contract.name);
  const faster = await speedUp(adaptOnnx(original, contract), (onnx) => check(onnx, contract));
  for (const sentence of faster.report) print(sentence);
  const { onnx } = faster;
  const entry = entryOf(contract, { ...faster, original });
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
    await rename(staging.path, join(parent, folderName(contract.name)));
  } catch (cause) {
    throw new Error(sentenceOnDisk(cause, folder), { cause });
  }
  const { models } = await readCatalogue(undefined, parent);
  const model = models.find(({ name }) => name === contract.name)!;
  for (const build of model.builds) await buildModel(folder, model, build);
  return model;
}

async function requireFreeName(folder: string, name: string): Promise<void> {
  const { models } = await readCatalogue(undefined, addedFolder(folder));
  const taken = models.find((model) => folderName(model.name) === folderName(name));
  if (taken === undefined) return;
  throw new Error(`The name ${name} is taken by a model of the catalogue: choose another one.`);
}
