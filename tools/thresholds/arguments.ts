import { resolve } from "node:path";
import { parseOptions } from "@faceline/models/parse-options";
import { modelsFolder } from "@faceline/models/model-file";
import { defaultModels } from "@faceline/runtime/models-config";

/** Reads the arguments of `thresholds`, or returns a sentence on what is wrong with them. */
export function readArguments(
  args: readonly string[],
): MeasureArguments | RemoveArguments | { mistake: string } {
  let values: ReturnType<typeof parsed>;
  try {
    values = parsed(args);
  } catch (error) {
    return { mistake: (error as Error).message };
  }
  const { align, remove } = values;
  const sources = sourcesOf(values);
  if (remove !== undefined) {
    if (sources.length > 0 || values.write) return { mistake: "--remove measures and writes nothing" };
    return { kind: "remove", model: remove, folder: resolve(values.to) };
  }
  const [source] = sources;
  if (source === undefined || sources.length > 1) {
    return { mistake: "thresholds: which images? One of --pairs CSV and --people DIR names them" };
  }
  if (align !== "on" && align !== "off") return { mistake: "--align must be on or off" };
  const wantedFmrs: number[] = [];
  for (const text of values.fmr ?? []) {
    const fmr = readRate(text);
    if (fmr === undefined) return { mistake: `--fmr ${text}: write a rate between 0 and 50%, such as 0.1%` };
    wantedFmrs.push(fmr);
  }
  if (values.write && (wantedFmrs.length !== 1 || align !== "on")) {
    return {
      mistake: "--write takes one --fmr, and aligned faces: the default thresholds are those of aligned ones",
    };
  }
  return {
    kind: "measure",
    source,
    models: values.model ?? [defaultModels.model],
    detectors: values.detector ?? [defaultModels.detector],
    align: align === "on",
    wantedFmrs: wantedFmrs.length === 0 ? defaultFmrs[source.kind] : wantedFmrs.toSorted((a, b) => b - a),
    folder: resolve(values.to),
    write: values.write,
  };
}

/** The value of --model and --detector that stands for all whose weights are here. */
export const allNames = "all";

const defaultFmrs: Record<DatasetSource["kind"], readonly number[]> = {
  pairs: [0.1, 0.01, 0.001],
  people: [1e-3, 1e-4, 1e-5, 1e-6],
};

const sourcesOf = (values: ReturnType<typeof parsed>): DatasetSource[] =>
  (["pairs", "people"] as const).flatMap((kind): DatasetSource[] => {
    const path = values[kind];
    return path === undefined ? [] : [{ kind, path: resolve(path) }];
  });

/** `1%`, `0.01` and `1e-2` are the same. */
function readRate(text: string): number | undefined {
  const [, digits = "", unit] = /^(\d*\.?\d+(?:e-\d)?) ?(%?)$/.exec(text) ?? [];
  const rate = unit === "%" ? Number(digits) / 100 : Number(digits);
  return digits !== "" && rate > 0 && rate <= 0.5 ? Number(rate.toPrecision(12)) : undefined;
}

const parsed = (args: readonly string[]) =>
  parseOptions({
    args: [...args],
    options: {
      pairs: { type: "string" },
      people: { type: "string" },
      model: { type: "string", multiple: true },
      detector: { type: "string", multiple: true },
      align: { type: "string", default: "on" },
      fmr: { type: "string", multiple: true },
      write: { type: "boolean", default: false },
      remove: { type: "string" },
      to: { type: "string", default: modelsFolder },
    },
  }).values;

/** Removes the local thresholds of a model. */
type RemoveArguments = { kind: "remove"; model: string; folder: string };

export type MeasureArguments = {
  kind: "measure";
  source: DatasetSource;
  /** Names, or `all`. */
  models: readonly string[];
  detectors: readonly string[];
  align: boolean;
  /** 0 to 1, descending. */
  wantedFmrs: readonly number[];
  /** Folder of the built models. */
  folder: string;
  /** Store the thresholds for the one wanted FMR. */
  write: boolean;
};

/** The path of a CSV of pairs, or of a folder with a folder a person. */
export type DatasetSource = { kind: "pairs" | "people"; path: string };
