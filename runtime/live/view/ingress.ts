import type { LiveCaller, LiveIngress, LivePool } from "../state.ts";
import { barTable } from "./bars.ts";
import { card, table } from "./card.ts";
import { bytes, counted, duration, number, percent } from "./format.ts";
import { node, type ViewNode } from "./node.ts";
import { rateTile, tile } from "./sparkline.ts";
import { callerName, limitWords, partWords } from "./words.ts";

export function ingressSections(part: LiveIngress): ViewNode[] {
  return [
    totals(part),
    callers(part),
    node("div", { class: "cards" }, timeParts(part), outcomes(part), limits(part)),
    pools(part.pools),
  ];
}

function totals({ active, answered, refused, failed, totalMs }: LiveIngress): ViewNode {
  return node(
    "dl",
    { class: "tiles" },
    rateTile("Answered", answered),
    rateTile("Refused: limits or load", refused),
    rateTile("Failed: service at fault", failed),
    tile({ label: "In flight now", value: counted(active, "request") }),
    tile({
      label: "Median time of answered requests",
      value: totalMs === null ? "–" : duration(totalMs.p50),
      note: totalMs === null ? "none lately" : `99 % within ${duration(totalMs.p99)}`,
    }),
  );
}

function callers({ callers: { loudest, others } }: LiveIngress): ViewNode {
  const all = [...loudest, others].filter(
    ({ calls, bytes, inFlight }) => calls.all + bytes.all + inFlight > 0,
  );
  const total = all.reduce((sum, { calls }) => sum + calls.last10s, 0);
  const rows = all.map(({ caller, calls, bytes: received, refused, inFlight }: LiveCaller) => [
    callerName(caller),
    percent(calls.last10s / Math.max(1, total)),
    number(calls.last10s),
    number(calls.all),
    number(refused.last10s),
    number(refused.all),
    bytes(received.last10s),
    bytes(received.all),
    number(inFlight),
  ]);
  return node(
    "section",
    { class: "wide" },
    node("h2", {}, "Who calls"),
    node("p", {}, rows.length === 0 ? "No request in the past 5 min." : callersWords),
    ...(rows.length === 0 ? [] : [table("Who calls", callersColumns, rows)]),
  );
}

const callersWords =
  "The ten teams with the most requests or bytes to this process, in the past 10 s or past 5 min.";
const callersColumns = [
  "Team",
  "Share, past 10 s",
  "Requests, past 10 s",
  "Past 5 min",
  "Refused, past 10 s",
  "Past 5 min",
  "Bytes, past 10 s",
  "Past 5 min",
  "In flight now",
];

function timeParts({ parts, partsCalls }: LiveIngress): ViewNode {
  const total = parts.reduce((sum, { ms }) => sum + ms, 0);
  return card(
    {
      heading: "Where the time of a request goes",
      words:
        partsCalls === 0
          ? "No request was answered in the past minute."
          : `Means of ${counted(partsCalls, "request")} of the past minute.`,
    },
    barTable({
      caption: total === 0 ? "No times" : `${duration(total)} in all`,
      columns: ["Part", "Time", "Share"],
      isWordy: true,
      rows: parts
        .filter(({ ms }) => ms >= 0.05)
        .map(({ part, ms }) => ({
          name: part,
          ...(partWords[part] === undefined ? {} : { note: partWords[part] }),
          value: ms,
          shown: [duration(ms), percent(ms / total)],
        })),
    }),
  );
}

function outcomes({ outcomes: counts }: LiveIngress): ViewNode {
  return card(
    { heading: "How requests ended" },
    barTable({
      caption: "Requests",
      columns: ["Outcome", "Past 5 min", "Past 10 s"],
      isWordy: true,
      rows: counts.map(({ outcome, words, count }) => ({
        name: outcome,
        note: words,
        value: count.all,
        shown: [number(count.all), number(count.last10s)],
      })),
    }),
  );
}

function limits({ limits: all }: LiveIngress): ViewNode {
  return card(
    {
      heading: "Limits of this process",
      words: "Above these limits requests are refused with queue_full, and connections are closed.",
    },
    barTable({
      caption: "Used now",
      columns: ["What", "Used", "Limit"],
      isWordy: true,
      rows: all.map(({ name, used, max, unit }) => {
        const written = unit === "bytes" ? bytes : number;
        return { name: limitWords[name], value: used, max, shown: [written(used), written(max)] };
      }),
    }),
  );
}

function pools(all: LivePool[]): ViewNode {
  const rows = all.flatMap(({ pool, lanes }) =>
    lanes === null
      ? [[pool, "no batcher publishes its state", "–", "–", "–"]]
      : lanes.map((lane) => [
          pool,
          lane.lane,
          `${lane.workers}`,
          counted(lane.waiting, "task"),
          lane.workers === 0 ? "–" : duration(lane.expectedWaitMs),
        ]),
  );
  return node(
    "section",
    { class: "wide" },
    node("h2", {}, "Pools now, as their batchers published them"),
    table("Pools", ["Pool", "Lane", "Workers", "Waiting", "Expected wait of a new task"], rows),
  );
}
