import type { LivePart } from "@faceline/runtime/live/state";
import { duration, number, perSecond, quantileOf, shortId } from "@faceline/runtime/live/view/format";
import { node, type ViewNode } from "@faceline/runtime/live/view/node";
import { processStatus, type ProcessStatus } from "@faceline/runtime/live/view/process-status";
import { lastOf, tile } from "@faceline/runtime/live/view/sparkline";
import type { ProcessReading } from "./process-readings.ts";

/** Returns a card for each process: its health, its p99 and what it refuses now. */
export function processCards(readings: readonly ProcessReading[]): ViewNode {
  const slow = slowWorkers(readings);
  return node("div", { id: "now", class: "cards" }, ...readings.map((reading) => processCard(reading, slow)));
}

function processCard(reading: ProcessReading, slow: ReadonlyMap<string, string>): ViewNode {
  const { process, origin } = reading;
  const { level, title, detail } = statusOf(reading, slow);
  const id = "state" in reading ? node("span", { class: "dim" }, shortId(reading.state.process)) : undefined;
  return node(
    "section",
    { class: "card" },
    node("h3", { class: "named" }, process, id),
    node("div", { class: `status ${level}` }, node("p", { class: "title" }, title), node("p", {}, detail)),
    "state" in reading ? node("dl", { class: "tiles" }, ...figures(reading.state.part)) : undefined,
    node(
      "p",
      { class: "links" },
      node("a", { href: `${origin}/live` }, `Live page of ${process}`),
      node("a", { href: `${origin}/metrics` }, "Metrics"),
      node("a", { href: `${origin}/readyz` }, "Readiness"),
    ),
  );
}

function statusOf(reading: ProcessReading, slow: ReadonlyMap<string, string>): ProcessStatus {
  if ("fault" in reading) return { level: "problem", title: "Cannot be read", detail: reading.fault };
  const own = processStatus(reading.state);
  const comparison = slow.get(reading.state.process);
  return comparison === undefined || own.level !== "ok"
    ? own
    : { level: "attention", title: "Slow", detail: comparison };
}

/** What batchers say of workers that are slower than others, by the ids of the workers. */
function slowWorkers(readings: readonly ProcessReading[]): Map<string, string> {
  const slow = new Map<string, string>();
  for (const reading of readings) {
    if (!("state" in reading) || reading.state.part.kind !== "batcher") continue;
    for (const { worker, isSlow, runRatio } of reading.state.part.workers) {
      if (!isSlow || runRatio === null) continue;
      slow.set(
        worker,
        `Its runs take ${number(runRatio)} times as long as those of other workers, measured by ${reading.process}.`,
      );
    }
  }
  return slow;
}

function figures(part: LivePart): ViewNode[] {
  switch (part.kind) {
    case "ingress":
      return [
        tile({ label: "p99 of requests", value: p99Text(part.totalMs?.p99), note: "the last responses" }),
        tile({ label: "Refused", value: perSecond(lastOf(part.refused)), note: lastSeconds }),
      ];
    case "batcher": {
      const realMs = part.lanes.flatMap(({ predictions }) => predictions.map((each) => each.realMs));
      return [
        tile({ label: "p99 of batches", value: p99Of(realMs), note: "sent to ended, the last batches" }),
        tile({ label: "Refused or failed", value: perSecond(lastOf(part.unserved)), note: lastSeconds }),
      ];
    }
    case "inference":
      return [
        tile({
          label: "p99 of runs",
          value: p99Of(part.runs.map(({ runMs }) => runMs)),
          note: "the last batches",
        }),
        tile({ label: "Failed batches", value: number(part.failed.last10s), note: lastSeconds }),
      ];
  }
}

const p99Of = (values: readonly number[]): string =>
  p99Text(values.length === 0 ? undefined : quantileOf(values, 0.99));
const p99Text = (ms: number | undefined): string => (ms === undefined ? "–" : duration(ms));
const lastSeconds = "the last 10 s";
