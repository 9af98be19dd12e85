import { addedFolder, readCatalogue } from "../catalogue.ts";
import type { Model } from "../catalogue-entry.ts";
import { adaptOnnx } from "./adapter.ts";
import type { checkWithin } from "./bounded-check.ts";
import { checkRecogniser } from "./check.ts";
import type { Contract } from "./contract.ts";
import { adaptDetector } from "./detector-adapter.ts";
import { checkDetector } from "./detector-check.ts";
import type { DetectorContract } from "./detector-contract.ts";
import { detectorEntryOf } from "./detector-entry.ts";
import { entryOf, folderName } from "./entry.ts";
import { installAdded } from "./install.ts";
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
  { contract, licenceText }: { contract: Contract; licenceText: string },
  check: typeof checkRecogniser = checkRecogniser,
  print: (line: string) => void = () => {},
): Promise<Model> {
  await requireFreeName(folder, contract.name);
  const faster = await speedUp(adaptOnnx(original, contract), (onnx) => check(onnx, contract));
  for (const sentence of faster.report) print(sentence);
  const entry = entryOf(contract, { ...faster, original });
  return installAdded(folder, { entry, onnx: faster.onnx, licenceText });
}

/** Adds a detector in the same way. There are no golden boxes: its SHA-256 is checked at every start. */
async function addDetector(
  folder: string,
  original: Uint8Array,
  { contract, licenceText }: { contract: DetectorContract; licenceText: string },
  check: (onnx: Uint8Array, shape: DetectorContract) => Promise<unknown> = checkDetector,
): Promise<Model> {
  await requireFreeName(folder, contract.name);
  const onnx = adaptDetector(original, contract);
  await check(onnx, contract);
  const entry = detectorEntryOf(contract, { onnx, original });
  return installAdded(folder, { entry, onnx, licenceText });
}

/** Adds a model of either role. Throws one sentence. */
export function addModel(
  folder: string,
  original: Uint8Array,
  { contract, licenceText }: StatedContract,
  check?: typeof checkWithin,
  print?: (line: string) => void,
): Promise<Model> {
  return contract.role === "detector"
    ? addDetector(folder, original, { contract, licenceText }, check)
    : addRecogniser(folder, original, { contract, licenceText }, check, print);
}

async function requireFreeName(folder: string, name: string): Promise<void> {
  const { models } = await readCatalogue(undefined, addedFolder(folder));
  const taken = models.find((model) => folderName(model.name) === folderName(name));
  if (taken === undefined) return;
  throw new Error(`The name ${name} is taken by a model of the catalogue: choose another one.`);
}
