import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { Catalogue } from "./catalogue.ts";
import {
  distancesMax,
  type EmbeddingModel,
  type Model,
  Thresholds,
  ThresholdsCalibration,
} from "./catalogue-entry.ts";
import { FalseMatchCurves } from "./false-match-curve.ts";
import { modelVersionOf } from "./model-version.ts";

/**
 * Thresholds that an operator has measured, one file a model in the folder `thresholds` beside the built
 * models. They take the place of those of the catalogue.
 */
const LocalThresholds = z.strictObject({
  model: z.string().min(1),
  /** Version of the model that they were measured with. */
  model_version: z.string().min(1),
  thresholds: Thresholds,
  calibration: ThresholdsCalibration,
  false_match_curves: FalseMatchCurves,
});
type LocalThresholds = z.infer<typeof LocalThresholds>;
/** What is measured of a model. */
export type MeasuredThresholds = Omit<LocalThresholds, "model" | "model_version">;

/**
 * Returns the catalogue with the thresholds of the folder. Throws one error with a line for each file that
 * cannot be used: continuing with other thresholds than the operator's would silently change verdicts.
 */
export async function withLocalThresholds(catalogue: Catalogue, modelsDir: string): Promise<Catalogue> {
  const folder = join(modelsDir, folderName);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const local = new Map<string, LocalThresholds>();
  const mistakes: string[] = [];
  for (const name of names.filter((each) => each.endsWith(".json")).toSorted()) {
    const read = await readThresholds(join(folder, name));
    if ("mistake" in read) {
      mistakes.push(`  ${name}: ${read.mistake}`);
      continue;
    }
    const model = catalogue.find("embedding", read.model);
    if (model === undefined) mistakes.push(`  ${name}: the catalogue has no embedding model ${read.model}`);
    else if (read.model_version !== versionOf(catalogue, model)) {
      mistakes.push(`  ${name}: they were measured with another version of ${read.model}`);
    } else if (read.thresholds.euclidean > distancesMax(model).euclidean) {
      const { euclidean } = distancesMax(model);
      mistakes.push(`  ${name}: thresholds.euclidean: no two embeddings are more than ${euclidean} apart`);
    }
    local.set(read.model, read);
  }
  if (mistakes.length > 0) {
    throw new Error(
      `local thresholds in ${folder}; delete these files, then measure them again:\n${mistakes.join("\n")}`,
    );
  }
  const withOwn = (model: Model): Model => {
    const own = local.get(model.name);
    return own === undefined ? model : { ...model, ...fieldsOf(own) };
  };
  return new Catalogue(catalogue.models.map(withOwn), catalogue.cards);
}

/** Stores thresholds for a model of the catalogue, in place of earlier ones. Returns the path of the file. */
export async function writeLocalThresholds(
  catalogue: Catalogue,
  model: EmbeddingModel,
  { modelsDir, ...measured }: MeasuredThresholds & { modelsDir: string },
): Promise<string> {
  const path = thresholdsFile(modelsDir, model.name);
  const stored: LocalThresholds = {
    model: model.name,
    model_version: versionOf(catalogue, model),
    ...measured,
  };
  await mkdir(join(modelsDir, folderName), { recursive: true });
  // Whole or not at all: a service may start at the same time.
  await writeFile(`${path}.new`, `${JSON.stringify(LocalThresholds.parse(stored), null, 2)}\n`);
  await rename(`${path}.new`, path);
  return path;
}

/** Returns the path of the file that was removed; undefined if there was none. */
export async function removeLocalThresholds(modelsDir: string, name: string): Promise<string | undefined> {
  const path = thresholdsFile(modelsDir, name);
  return rm(path).then(
    () => path,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    },
  );
}

async function readThresholds(path: string): Promise<LocalThresholds | { mistake: string }> {
  try {
    const parsed = LocalThresholds.safeParse(JSON.parse(await readFile(path, "utf8")));
    if (parsed.success) return parsed.data;
    const lines = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    return { mistake: lines.join("; ") };
  } catch (error) {
    return { mistake: (error as Error).message };
  }
}

function fieldsOf({ thresholds, calibration, false_match_curves }: LocalThresholds) {
  const { calibrated_at, fmr_wanted, pairs_same, pairs_different, people, detector } = calibration;
  const measured =
    `The operator's calibration of ${calibrated_at.slice(0, 10)} for a false match rate of at most ` +
    `${Number((100 * fmr_wanted).toPrecision(6))}% (95% confidence): ${pairs_same} pairs of one person and ` +
    `${pairs_different} of two people, of ${people} people, with the detector ${detector}.`;
  return {
    thresholds,
    thresholds_from: {
      cosine: measured,
      euclidean: measured,
      euclidean_l2: "Derived: sqrt(2 * cosine), which gives the same verdicts.",
    },
    thresholds_calibration: calibration,
    false_match_curves,
  };
}

/** Throws if the name is not a file name: only the catalogue's own names may lead to a file. */
function thresholdsFile(modelsDir: string, name: string): string {
  if (!/^[\w.-]{1,64}$/.test(name)) throw new Error(`"${name}" is not the name of a model`);
  return join(modelsDir, folderName, `${name}.json`);
}

const versionOf = (catalogue: Catalogue, model: EmbeddingModel): string =>
  modelVersionOf(model, catalogue.find("landmarks", model.landmarks)!);

/** Folder below that of built models. */
const folderName = "thresholds";
