import type { PoolSettings, Prediction } from "../prediction/predict.ts";
import type { Target } from "../prediction/target.ts";
import { paretoFront, type SearchResult, type Tried } from "../search/search.ts";

/** Returns what a search found as text for a terminal, at most 110 columns wide. */
export function planText({ result, target, whatIfs, mark }: PlanReport): string {
  const { winner } = result;
  const lines: string[] = [];
  if (mark !== undefined) lines.push(`NOT QUIET: ${mark}`, "");
  if (winner === undefined) lines.push(...unmetLines(result));
  else {
    lines.push(
      `The cheapest settings that meet ${targetText(target)}:`,
      "",
      `  workers             ${winner.settings.workers}`,
      `  BATCH_MAX           ${winner.settings.batchMax}`,
      `  UTILISATION_TARGET  ${winner.settings.utilisationTarget}`,
      ...(winner.settings.deadlineMs === undefined
        ? []
        : [`  DEADLINE_DEFAULT_MS ${winner.settings.deadlineMs}`]),
      "",
      `What limits: ${bindingText(result, winner)}`,
      "",
      "Of those that meet it, the ones that are either cheaper or faster than all others:",
      "",
      ...table(paretoFront(result.tried).map((each) => row(each.settings, each.prediction))),
    );
  }
  if (whatIfs.length > 0) {
    lines.push(
      "",
      "What if:",
      "",
      ...table(whatIfs.map(({ name, settings, prediction }) => row(settings, prediction, name))),
    );
  }
  const windows = result.tried.filter(({ scope }) => scope === "windows").length;
  const whole = result.tried.length - windows;
  lines.push("", `${windows} settings were tried on the busiest windows, ${whole} of them on all calls.`);
  return `${lines.join("\n")}\n`;
}

/** What fewer workers would miss. */
function bindingText({ tried }: SearchResult, { settings }: Tried): string {
  const fewer = tried.filter((each) => each.settings.workers === settings.workers - 1);
  if (fewer.length === 0) return "one worker is the least, or fewer cannot do this work at all.";
  const missed = new Set(fewer.flatMap(({ prediction }) => prediction.missed));
  const workers = settings.workers === 2 ? "one worker" : `${settings.workers - 1} workers`;
  return `with ${workers} every choice misses ${[...missed].join(" or ")}.`;
}

function unmetLines({ tried }: SearchResult): string[] {
  const most = Math.max(...tried.map(({ settings }) => settings.workers));
  const closest = tried
    .filter(({ settings }) => settings.workers === most)
    .toSorted(
      (a, b) =>
        a.prediction.missed.length - b.prediction.missed.length || a.prediction.p99Ms - b.prediction.p99Ms,
    )
    .slice(0, 3);
  return [
    `No settings up to ${most} workers meet the target. The closest, on the busiest windows:`,
    "",
    ...table(closest.map(({ settings, prediction }) => row(settings, prediction))),
    "",
    "More workers (--workers-max), a later deadline or a wider target may; a single call takes at least its",
    "preparation, its run and the hops.",
  ];
}

const targetText = (target: Target): string =>
  Object.entries(target)
    .map(([measure, limit]) => `${measure} < ${measure.startsWith("p") ? `${limit} ms` : percent(limit)}`)
    .join(", ");

const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`;

const head = [
  "",
  "workers",
  "batch max",
  "target",
  "deadline",
  "p50 ms",
  "p99 ms",
  "shed",
  "late",
  "batch",
  "busy",
  "worker s / 1,000",
];

function row(settings: PoolSettings, prediction: Prediction, name = ""): string[] {
  const { workers, batchMax, utilisationTarget, deadlineMs } = settings;
  const { p50Ms, p99Ms, shed, late, meanBatch, utilisation, workerSecondsPer1000 } = prediction;
  return [
    name,
    `${workers}`,
    `${batchMax}`,
    `${utilisationTarget}`,
    deadlineMs === undefined ? "" : `${deadlineMs}`,
    p50Ms.toFixed(0),
    p99Ms.toFixed(0),
    percent(shed),
    percent(late),
    meanBatch.toFixed(1),
    percent(utilisation),
    workerSecondsPer1000.toFixed(1),
  ];
}

function table(rows: string[][]): string[] {
  const all = [head, ...rows];
  const columns = head
    .map((_, column) => column)
    .filter((column) => rows.some((each) => each[column] !== ""));
  const widths = columns.map((column) => Math.max(...all.map((each) => each[column]!.length)));
  return all.map((each) => `  ${columns.map((column, i) => each[column]!.padStart(widths[i]!)).join("  ")}`);
}

export type WhatIf = { name: string; settings: PoolSettings; prediction: Prediction };

type PlanReport = {
  result: SearchResult;
  target: Target;
  whatIfs: WhatIf[];
  /** Why the profile is not to be trusted fully. */
  mark?: string;
};
