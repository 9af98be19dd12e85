import type { LiveBatcher, LiveCount, LiveWorker } from "../state.ts";
import { barTable } from "./bars.ts";
import { card, table } from "./card.ts";
import { counted, duration, number, shortId } from "./format.ts";
import { laneSection } from "./lane.ts";
import { node, type ViewNode } from "./node.ts";
import { rateTile, tile } from "./sparkline.ts";
import { failureWords, shedWords, workerWords } from "./words.ts";

export function batcherSections(part: LiveBatcher): (ViewNode | undefined)[] {
  // The active batcher shows these; a standby reads the reports of the workers alone.
  const ofTasks =
    part.role === "standby" ? [] : [totals(part), unserved(part), ...part.lanes.map(laneSection)];
  return [...ofTasks, ...omitted(part.lanesOmitted, "lane"), settings(part), workers(part)];
}

function totals(part: LiveBatcher): ViewNode {
  const waiting = part.lanes.reduce((sum, lane) => sum + lane.waiting, 0);
  return node(
    "dl",
    { class: "tiles" },
    rateTile("Sent to workers, all lanes", part.sent),
    tile({
      label: "Waiting now, all lanes",
      value: counted(waiting, "task"),
      series: { values: part.waiting, unit: "" },
    }),
    rateTile("Refused, dropped or failed", part.unserved),
  );
}

/** Undefined where nothing was refused in the window: then there is nothing to explain. */
function unserved({ shed, expired, failed }: LiveBatcher): ViewNode | undefined {
  const row = (name: string, note: string, { all, last10s }: LiveCount) => ({
    name,
    note,
    value: all,
    shown: [number(all), number(last10s)],
  });
  const rows = [
    ...Object.entries(shed).map(([reason, count]) =>
      row(reason, shedWords[reason as keyof typeof shedWords], count),
    ),
    row("expired", "still waited at its deadline", expired),
    ...Object.entries(failed).map(([reason, count]) =>
      row(reason, failureWords[reason as keyof typeof failureWords], count),
    ),
  ].filter(({ value }) => value > 0);
  if (rows.length === 0) return undefined;
  return card(
    {
      heading: "Why tasks were refused, dropped or failed",
      words: "What an ingress refuses by itself is on its own page.",
    },
    barTable({
      caption: "Tasks",
      columns: ["Reason", "Past 5 min", "Past 10 s"],
      isWordy: true,
      rows: rows.toSorted((one, other) => other.value - one.value),
    }),
  );
}

function settings({ settings: inForce }: LiveBatcher): ViewNode {
  const { utilisationTarget, laneWaitingMax, loadedMax } = inForce;
  const fact = (term: string, value: string) => node("div", {}, node("dt", {}, term), node("dd", {}, value));
  return node(
    "section",
    { class: "wide" },
    node("h2", {}, "Settings in force"),
    node(
      "dl",
      { class: "facts" },
      fact(
        "Largest batch loaded",
        loadedMax === null ? "no worker has reported" : counted(loadedMax, "task"),
      ),
      fact("UTILISATION_TARGET", `${utilisationTarget}`),
      fact("LANE_WAITING_MAX", counted(laneWaitingMax, "task")),
    ),
  );
}

function workers({ workers: listed, workersOmitted, hops }: LiveBatcher): ViewNode {
  const rows = listed.map((worker) => [
    shortId(worker.worker),
    runTimeCell(worker),
    number(worker.failedRuns.all),
    number(worker.lostBatches.all),
    workerWords[worker.state],
    runningWords(worker),
    `${worker.staged}`,
    `${duration(worker.reportedAgoMs)} ago`,
    node("span", { class: "long" }, loadedWords(worker)),
  ]);
  const words = `A message takes ${duration(hops.toWorkerMs)} to a worker and ${duration(hops.fromWorkerMs)} back; results are published ${duration(hops.replyMs)} after a run (95 % of them). Run times are compared with those of the other workers for batches of the same lane and size, in the past 5 min.`;
  return node(
    "section",
    { class: "wide" },
    node("h2", {}, "Workers"),
    listed.length === 0 ? node("p", { class: "now bad" }, "No worker has reported.") : node("p", {}, words),
    ...mixedBuilds(listed),
    listed.length === 0 ? undefined : table("Workers", workersColumns, rows),
    ...omitted(workersOmitted, "worker"),
  );
}

/** A sentence for each lane of which workers have several builds. */
function mixedBuilds(listed: LiveWorker[]): ViewNode[] {
  return [
    ...Map.groupBy(
      listed.flatMap(({ lanes }) => lanes),
      ({ lane }) => lane,
    ),
  ].flatMap(([lane, all]) => {
    const builds = [...Map.groupBy(all, ({ digest }) => digest)].map(
      ([digest, { length }]) => `${digest.slice(0, 8)} on ${counted(length, "worker")}`,
    );
    const words = `Several builds of ${lane}, ${buildCauses(all, builds.length)}: ${builds.join(", ")}.`;
    return builds.length > 1 ? [node("p", { class: "now" }, words)] : [];
  });
}

/** Why workers run so many builds of one lane, as a clause. */
function buildCauses(all: LiveWorker["lanes"], builds: number): string {
  const causes: string[] = [];
  const settings = new Set(all.map((each) => JSON.stringify([each.executionProvider, each.networks])));
  const fallbacks = new Set(
    all.map(({ networks }) => networks.flatMap(({ model, fallback }) => (fallback ? model : [])).join(", ")),
  );
  if (fallbacks.size > 1)
    causes.push(`because int8 is not exact on every CPU (${[...fallbacks].filter(Boolean).join(", ")})`);
  else if (settings.size > 1) causes.push("because workers run it in other precisions or on other devices");
  if (builds > settings.size) causes.push("as in a rollout that is half done");
  return causes.join(" and ");
}

const workersColumns = [
  "Worker",
  "Run time ÷ others",
  "Failed runs, past 5 min",
  "Lost batches, past 5 min",
  "State now",
  "Runs now",
  "Staged now",
  "Last report",
  "Lanes and builds",
];

function runTimeCell({ runRatio, isSlow }: LiveWorker): ViewNode | string {
  if (runRatio === null) return "–";
  return isSlow ? node("strong", { class: "slow" }, `SLOW: ${number(runRatio)} ×`) : `${number(runRatio)} ×`;
}

const runningWords = ({ running }: LiveWorker): string =>
  running === undefined
    ? "–"
    : `${counted(running.tasks, "task")} of ${running.lane}, ${running.leftMs > 0 ? `${duration(running.leftMs)} left` : "should have ended"}`;

const loadedWords = ({ lanes }: LiveWorker): string =>
  lanes.map(({ lane, digest }) => `${lane} (${digest.slice(0, 8)})`).join(", ");

const omitted = (count: number, noun: string): ViewNode[] =>
  count === 0
    ? []
    : [node("p", { class: "dim" }, `${counted(count, noun)} more ${count === 1 ? "is" : "are"} not shown.`)];
