import type { ErrorBand } from "../prediction/error-band.ts";
import { closestFirst, paretoFront, type Tried } from "../search/search.ts";
import type { FoundPlan, Plan } from "./plan.ts";
import { bandText, inTimeShare, isDefault, percent } from "./words.ts";

// The tables of a plan: cells of text. Cost is in worker seconds for 1,000
// calls.

export type Table = { head: readonly string[]; rows: readonly (readonly string[])[] };

/** Settings of which no others are both cheaper and faster. */
export const frontTable = ({ tried, band }: Plan): Table =>
  predictionTable(
    paretoFront(tried).map((each) => ({ ...each, name: "" })),
    band,
    ["late", "batch", "busy"],
  );

/** The most hopeful ones of the most workers, where none meets the target. */
export function closestTable({ tried, band }: Plan): Table {
  const most = Math.max(...tried.map(({ settings }) => settings.workers));
  const closest = closestFirst(tried.filter(({ settings }) => settings.workers === most)).slice(0, 3);
  return predictionTable(
    closest.map((each) => ({ ...each, name: "" })),
    band,
  );
}

/** Results of the planned settings, and of the default ones. */
export function defaultsTable({ defaults, winner, band }: FoundPlan): Table {
  const named = [
    { name: "this plan", settings: winner.settings, prediction: winner.prediction },
    ...(defaults === undefined || isDefault(winner.settings, defaults.settings)
      ? []
      : [{ name: "defaults, as many workers", ...defaults }]),
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

type NamedPrediction = Tried & { name: string };
