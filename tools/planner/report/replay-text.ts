import type { Prediction } from "../prediction/predict.ts";
import { type ComparedMeasure, compare, type Measured } from "../replay/comparison.ts";
import { wrapped } from "./text.ts";

/** Returns predictions beside what was measured as text for a terminal, at most 110 columns wide. */
export function replayText(
  { predicted, atPace }: ReplayPredictions,
  measured: Measured,
  marks: readonly string[] = [],
): string {
  const comparedAtPace = atPace && compare(atPace.prediction, measured);
  const rows = compare(predicted, measured).map((each, index) => {
    const paced = comparedAtPace?.[index];
    return [
      each.name,
      valueText(each.predicted, each.unit),
      each.measured === undefined ? "not read" : valueText(each.measured, each.unit),
      errorText(each),
      ...(paced === undefined ? [] : [valueText(paced.predicted, paced.unit), errorText(paced)]),
    ];
  });
  const header = ["", "predicted", "measured", "error", ...(atPace ? ["at its pace", "error"] : [])];
  const stages = stageNames.map(([key, name]) => {
    const [ours, real] = [predicted.stages[key], measured.stages[key]];
    return [name, ours.toFixed(1), real.toFixed(1), signed(ours - real, 1)];
  });
  const parts = Object.entries(measured.parts).filter(([name]) => serviceParts.has(name));
  const { p50, p99, most } = measured.generatorLateMs;
  return [
    ...marks.flatMap(wrapped),
    ...table([header, ...rows]),
    ...(atPace === undefined ? [] : paceText(atPace.pace)),
    "",
    "Where the time goes, means of the answered calls in ms:",
    "",
    ...table([["", "predicted", "measured", "difference"], ...stages]),
    ...runsText(predicted, measured),
    "",
    "Ingress and hops as measured, in ms: ",
    `  ${parts.map(([name, ms]) => `${name} ${ms.toFixed(1)}`).join(", ")}`,
    "",
    `Calls: ${outcomesText(measured)}.`,
    `The generator sent them late by ${p50.toFixed(1)} ms in the median, ${p99.toFixed(1)} at p99, ${most.toFixed(1)} at most;`,
    "that counts as their latency.",
    ...conclusion(predicted, measured),
  ].join("\n");
}

/** Of a machine that is shared, this is often the largest part of an error. */
function paceText(pace: number): string[] {
  const sentence =
    `Runs took ${pace.toFixed(2)} times the CPU time that was predicted for them, as on a machine with another ` +
    'pace than when it was calibrated. "At its pace" is the prediction with all CPU times changed by as much; ' +
    "the error that is left is not due to the pace.";
  return ["", ...wrapped(sentence)];
}

/** Where the median of the sizes is far off, the profile is of another machine than this one is now. */
function conclusion(predicted: Prediction, measured: Measured): string[] {
  const ratios = Object.entries(predicted.meanRunMs)
    .flatMap(([size, ms]) => {
      const real = measured.meanRunMs[Number(size)];
      return real === undefined ? [] : [real / ms];
    })
    .toSorted((a, b) => a - b);
  const ratio = ratios[ratios.length >> 1];
  if (ratio === undefined || (ratio <= runRatioMax && ratio >= 1 / runRatioMax)) return [];
  return [
    "",
    `Runs took ${ratio.toFixed(2)} times as long as by the profile: do not use a plan of it. Calibrate again.`,
  ];
}

const runRatioMax = 1.5;

function runsText(predicted: Prediction, measured: Measured): string[] {
  const rows = Object.entries(predicted.meanRunMs).flatMap(([size, ms]) => {
    const real = measured.meanRunMs[Number(size)];
    if (real === undefined) return [];
    return [`  A run of a batch of ${size}: ${ms.toFixed(1)} ms predicted, ${real.toFixed(1)} measured.`];
  });
  return rows.length === 0 ? [] : ["", ...rows];
}

const outcomesText = ({ outcomes }: Measured): string =>
  Object.entries(outcomes)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(", ");

function valueText(value: number, unit: ComparedMeasure["unit"]): string {
  if (unit === "share") return `${(100 * value).toFixed(2)} %`;
  return unit === "ms" ? `${value.toFixed(1)} ms` : value.toFixed(2);
}

function errorText({ error, unit }: ComparedMeasure): string {
  if (error === undefined) return "";
  return unit === "share" ? `${signed(100 * error, 2)} points` : `${signed(100 * error, 1)} %`;
}

const signed = (value: number, digits: number): string => `${value < 0 ? "" : "+"}${value.toFixed(digits)}`;

function table(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map(([name = "", ...cells]) =>
    `  ${name.padEnd(widths[0]!)}  ${cells.map((cell, i) => cell.padStart(widths[i + 1]!)).join("  ")}`.trimEnd(),
  );
}

const stageNames = [
  ["serviceMs", "ingress and hops"],
  ["waitMs", "waiting for a worker"],
  ["prepareMs", "preparation"],
  ["runMs", "run"],
] as const;

/** What is summed up as ingress and hops. */
const serviceParts = new Set(["admission", "publish", "hop", "answer", "gather", "unaccounted", "client"]);

/** `atPace`: what is predicted for the pace that the machine had, where that is known. */
type ReplayPredictions = {
  predicted: Prediction;
  atPace?: { pace: number; prediction: Prediction } | undefined;
};
