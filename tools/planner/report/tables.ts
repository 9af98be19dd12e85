import type { ErrorBand } from "../prediction/error-band.ts";
import { paretoFront, type Tried } from "../search/search.ts";
import type { FoundPlan, Plan } from "./plan.ts";
import { batchSizeLines } from "./plots.ts";
import { bandText, countText, inTimeShare, isDefault, percent, workersText } from "./words.ts";

// The tables of a plan, for the text and for the page: cells of text. Cost is in worker seconds for 1,000
// calls.

export type Table = { head: readonly string[]; rows: readonly (readonly string[])[] };

/** Settings of which no others are both cheaper and faster. */
export const frontTable = ({ tried, band }: Plan): Table =>
  predictionTable(
    paretoFront(tried).map((each) => ({ ...each, name: "" })),
    band,
    ["late", "batch", "busy"],
  );

/** The planned settings under other traffic, workers or machines. */
export const whatIfTable = ({ whatIfs, band }: Plan): Table =>
  predictionTable(whatIfs, band, ["batch max", "target"]);

/** The most hopeful ones of the most workers, where none meets the target. */
export function closestTable({ tried, band }: Plan): Table {
  const most = Math.max(...tried.map(({ settings }) => settings.workers));
  const closest = tried
    .filter(({ settings }) => settings.workers === most)
    .toSorted(
      (a, b) =>
        a.prediction.missed.length - b.prediction.missed.length || a.prediction.p99Ms - b.prediction.p99Ms,
    )
    .slice(0, 3);
  return predictionTable(
    closest.map((each) => ({ ...each, name: "" })),
    band,
  );
}

/** Results of the planned settings, and of the default ones. */
export function defaultsTable({ defaults, whatIfs, winner, band }: FoundPlan): Table {
  const planned = whatIfs[0]?.prediction ?? winner.prediction;
  const named = [
    { name: "this plan", settings: winner.settings, prediction: planned },
    ...(defaults === undefined || isDefault(winner.settings, defaults)
      ? []
      : [{ name: "defaults, as many workers", ...defaults.sameWorkers }]),
    ...(defaults?.fewest === undefined || defaults.fewest.settings.workers === winner.settings.workers
      ? []
      : [{ name: "defaults that meet the target", ...defaults.fewest }]),
  ];
  return {
    head: ["", "workers", "batch max", "target", "in time", "p99 ms", "cost"],
    rows: named.map(({ name, settings, prediction }) => [
      name,
      `${settings.workers}`,
      `${settings.batchMax}`,
      `${settings.utilisationTarget}`,
      percent(inTimeShare(prediction)),
      bandText(prediction.p99Ms, band.p99),
      prediction.workerSecondsPer1000.toFixed(1),
    ]),
  };
}

/** The values of the plot of batch sizes. */
export const batchSizeTable = ({ tried }: Plan): Table => ({
  head: ["", "batch max", "target", "p99 ms", "misses"],
  rows: batchSizeLines(tried).flatMap(({ points }) =>
    points.map(({ settings, prediction }) => [
      workersText(settings.workers),
      `${settings.batchMax}`,
      `${settings.utilisationTarget}`,
      prediction.p99Ms.toFixed(0),
      prediction.missed.join(", "),
    ]),
  ),
});

/** The trace in ten parts of equal length. */
export function trafficTable({ traffic: { slots, slotSeconds } }: Plan): Table {
  const inPart = Math.ceil(slots.length / trafficPartsMax);
  const parts = Array.from({ length: Math.ceil(slots.length / inPart) }, (_, part) =>
    slots.slice(part * inPart, (part + 1) * inPart),
  );
  return {
    head: ["from", "requests per second", `most in ${slotSeconds} s`],
    rows: parts.map((each, part) => [
      `${countText(part * inPart * slotSeconds)} s`,
      (each.reduce((sum, calls) => sum + calls, 0) / each.length).toFixed(1),
      Math.max(...each).toFixed(1),
    ]),
  };
}

/** Mean run times by batch size, of each lane. */
export function machineTable({ machine: { lanes } }: Plan): Table {
  const sizes = [...new Set(lanes.flatMap(({ runs }) => runs.map(({ size }) => size)))];
  return {
    head: ["run of a batch, ms", "precision", "on", ...sizes.map((size) => `of ${size}`)],
    rows: lanes.map(({ lane, precision, executionProvider, runs }) => [
      lane,
      precision,
      executionProvider,
      ...sizes.map((size) => runs.find((each) => each.size === size)?.ms.toFixed(1) ?? ""),
    ]),
  };
}

/** Columns in which all cells are empty are left out, and those that are named. */
function predictionTable(
  named: readonly NamedPrediction[],
  band: ErrorBand,
  without: readonly string[] = [],
): Table {
  const rows = named.map((each) => cells(each, band));
  const columns = head.flatMap((name, column) =>
    !without.includes(name) && rows.some((row) => row[column] !== "") ? [column] : [],
  );
  const pick = (row: readonly string[]) => columns.map((column) => row[column]!);
  return { head: pick(head), rows: rows.map(pick) };
}

const head = [
  "",
  "workers",
  "batch max",
  "target",
  "p50 ms",
  "p99 ms",
  "shed",
  "late",
  "batch",
  "busy",
  "cost",
];

function cells({ settings, prediction, name }: NamedPrediction, band: ErrorBand): string[] {
  const { workers, batchMax, utilisationTarget } = settings;
  const { p50Ms, p99Ms, shed, late, meanBatch, utilisation, workerSecondsPer1000 } = prediction;
  return [
    name,
    `${workers}`,
    `${batchMax}`,
    `${utilisationTarget}`,
    bandText(p50Ms, band.p50),
    bandText(p99Ms, band.p99),
    percent(shed),
    percent(late),
    meanBatch.toFixed(1),
    percent(utilisation),
    workerSecondsPer1000.toFixed(1),
  ];
}

const trafficPartsMax = 10;

type NamedPrediction = Omit<Tried, "scope"> & { name: string };
