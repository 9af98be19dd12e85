import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { modelsFolder } from "@faceline/models/model-file";

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
  const { pairs, align, remove } = values;
  if (remove !== undefined) {
    if (pairs !== undefined || values.write) return { mistake: "--remove measures and writes nothing" };
    return { kind: "remove", model: remove, folder: resolve(values.to) };
  }
  if (pairs === undefined) return { mistake: "thresholds: which pairs? --pairs names their CSV file" };
  if (align !== "on" && align !== "off") return { mistake: "--align must be on or off" };
  const wantedFmrs: number[] = [];
  for (const text of values.fmr ?? []) {
    const fmr = readRate(text);
    if (fmr === undefined) return { mistake: `--fmr ${text}: write a rate between 0 and 50 %, such as 0.1%` };
    wantedFmrs.push(fmr);
  }
  if (values.write && (wantedFmrs.length !== 1 || align !== "on")) {
    return {
      mistake: "--write takes one --fmr, and aligned faces: the default thresholds are those of aligned ones",
    };
  }
  return {
    kind: "measure",
    pairs: resolve(pairs),
    models: values.model ?? ["Dlib"],
    detectors: values.detector ?? ["ssd"],
    align: align === "on",
    wantedFmrs: wantedFmrs.length === 0 ? defaultFmrs : wantedFmrs.toSorted((a, b) => b - a),
    folder: resolve(values.to),
    write: values.write,
    html: values.html === undefined ? undefined : resolve(values.html),
  };
}

/** The value of --model and --detector that stands for all whose weights are here. */
export const allNames = "all";

const defaultFmrs: readonly number[] = [0.1, 0.01, 0.001];

/** `1%` and `0.01` are the same. */
function readRate(text: string): number | undefined {
  const [, digits = "", unit] = /^(\d*\.?\d+) ?(%?)$/.exec(text) ?? [];
  const rate = unit === "%" ? Number(digits) / 100 : Number(digits);
  return digits !== "" && rate > 0 && rate <= 0.5 ? Number(rate.toPrecision(12)) : undefined;
}

const parsed = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      pairs: { type: "string" },
      model: { type: "string", multiple: true },
      detector: { type: "string", multiple: true },
      align: { type: "string", default: "on" },
      fmr: { type: "string", multiple: true },
      write: { type: "boolean", default: false },
      remove: { type: "string" },
      html: { type: "string" },
      to: { type: "string", default: modelsFolder },
    },
  }).values;

/** Removes the local thresholds of a model. */
type RemoveArguments = { kind: "remove"; model: string; folder: string };

export type MeasureArguments = {
  kind: "measure";
  /** Path of the CSV. */
  pairs: string;
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
  /** Path of the HTML file to write. */
  html: string | undefined;
};
