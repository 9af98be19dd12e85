import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ModelCard } from "@faceline/contracts/http/model-card";
import type * as z from "zod";
import { type MeasuredCard, readCards } from "./card.ts";
import type { Model, ModelOf, Role } from "./catalogue-entry.ts";
import { autoName, type DetectorChoice, detectorChoices } from "./detector-choice.ts";
import { CheckedModel } from "./entry-rules.ts";
import type { FalseMatchCurves } from "./false-match-curve.ts";

/**
 * The catalogue of models: one `catalogue/<name>/model.json` for each. Fields are in snake_case, because the
 * API shows some of them as they are. Services import this file: it opens no model file and needs no
 * inference engine.
 */
export class Catalogue {
  readonly models: readonly Model[];
  readonly detectors: readonly DetectorChoice[];
  /** What was measured here about models, by name. */
  readonly cards: ReadonlyMap<string, ModelCard>;

  constructor(models: readonly Model[], cards: ReadonlyMap<string, ModelCard> = new Map()) {
    this.models = models;
    this.detectors = detectorChoices(this.all("detector"));
    this.cards = cards;
  }

  /** Undefined if there is no such model, or only one with another role. */
  find<R extends Role>(role: R, name: string): ModelOf<R> | undefined {
    return this.all(role).find((model) => model.name === name);
  }

  /** The detector of that name, or `auto`. */
  detector(name: string): DetectorChoice | undefined {
    return this.detectors.find((each) => each.name === name);
  }

  /** Sorted by name. */
  all<R extends Role>(role: R): ModelOf<R>[] {
    return this.models.filter((model): model is ModelOf<R> => model.role === role);
  }
}

/**
 * Reads and checks every entry: those of the repository, and with `added` those that an operator has added to
 * this installation. Throws one error with a line for each mistake: file, field, what is wrong.
 */
export async function readCatalogue(folder: string = catalogueFolder, added?: string): Promise<Catalogue> {
  const mistakes: string[] = [];
  const models: Model[] = [];
  const entries = [
    ...(await entryFolders(folder)),
    ...(added !== undefined && existsSync(added) ? await entryFolders(added) : []),
  ];
  for (const path of entries) {
    const file = `${dirname(path) === added ? `${added}/` : ""}${basename(path)}/model.json`;
    const read = await readEntry(path);
    if ("model" in read) models.push(read.model);
    else mistakes.push(...read.mistakes.map((mistake) => `  ${file}: ${mistake}`));
  }
  const allEntriesParsed = mistakes.length === 0;
  mistakes.push(...duplicates("the name", [autoName, ...models.map((model) => model.name)]));
  mistakes.push(
    ...duplicates(
      "the file",
      models.flatMap((model) => model.builds.map((build) => build.file)),
    ),
  );
  for (const { name, ...model } of models) {
    // An entry that could not be parsed is a mistake already, and might be the one that is missing here.
    if (!allEntriesParsed || model.role !== "embedding") continue;
    if (!models.some((each) => each.role === "landmarks" && each.name === model.landmarks)) {
      mistakes.push(`  ${name}: landmarks: there is no landmark model ${model.landmarks}`);
    }
  }
  if (mistakes.length > 0) throw new Error(`the models' catalogue:\n${mistakes.join("\n")}`);
  const sorted = models.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  // Cards belong to the repository's own entries.
  return folder === catalogueFolder ? withCards(sorted, await readCards()) : new Catalogue(sorted);
}

/** Recognisers get the false match curves of their cards. */
function withCards(models: readonly Model[], measured: ReadonlyMap<string, MeasuredCard>): Catalogue {
  const cards = new Map<string, ModelCard>();
  const curves = new Map<string, FalseMatchCurves | undefined>();
  for (const [name, { false_match_curves, ...card }] of measured) {
    cards.set(name, card);
    curves.set(name, false_match_curves);
  }
  const withCurves = <M extends Model>(model: M): M => {
    const false_match_curves = curves.get(model.name);
    return false_match_curves === undefined ? model : { ...model, false_match_curves };
  };
  return new Catalogue(models.map(withCurves), cards);
}

/** All licences of a model, as one SPDX expression. */
export function licenseOf({ licenses }: Pick<Model, "licenses">): string {
  return [...new Set(licenses.map(({ id }) => id))].join(" AND ");
}

/** The folder of the entries of added models, below that of built models. It need not exist. */
export const addedFolder = (modelsDir: string): string => join(modelsDir, "added");

export const catalogueFolder = join(import.meta.dirname, "../catalogue");
/** File name in the folder of a model. */
export const calibrationFile = "calibration.json";

/** Folders whose names begin with a dot are being written. */
async function entryFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => join(folder, name))
    .toSorted((a, b) => (a < b ? -1 : 1));
}

async function readEntry(folder: string): Promise<{ model: Model } | { mistakes: string[] }> {
  let json: unknown;
  try {
    json = {
      ...JSON.parse(await readFile(join(folder, "model.json"), "utf8")),
      ...(await readCalibration(folder)),
    };
  } catch (error) {
    return { mistakes: [error instanceof Error ? error.message : String(error)] };
  }
  const parsed = CheckedModel.safeParse(json);
  if (parsed.success) return { model: withAbsoluteSource(parsed.data, folder) };
  const line = ({ path, message }: z.core.$ZodIssue): string =>
    [path.join("."), message].filter(Boolean).join(": ");
  return { mistakes: parsed.error.issues.map(line) };
}

/** The path of an .onnx source is relative to the entry in the file, and absolute in the model. */
function withAbsoluteSource(model: Model, folder: string): Model {
  const { source } = model;
  if (source.kind !== "onnx_file") return model;
  return { ...model, source: { ...source, file: { ...source.file, path: join(folder, source.file.path) } } };
}

async function readCalibration(folder: string): Promise<{ calibration?: unknown }> {
  const json = await readFile(join(folder, calibrationFile), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (json === undefined) return {};
  try {
    return { calibration: JSON.parse(json) };
  } catch (cause) {
    throw new Error(`${calibrationFile} is not JSON`, { cause });
  }
}

function duplicates(what: string, values: readonly string[]): string[] {
  const repeated = new Set(values.filter((value, i) => values.indexOf(value) !== i));
  return [...repeated].map((value) => `  ${what} ${value} appears twice`);
}
