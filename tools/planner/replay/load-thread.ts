import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { Trace, type TraceColumns } from "../trace/trace.ts";
import type { PictureStock } from "./picture-stock.ts";
import { type ReplayColumns, ReplayedCalls, replayOutcome } from "./replayed-calls.ts";
import { ServiceClient } from "./service-client.ts";

// The thread of load.ts: sends each call when it is due, whether or not those before it were answered.

const { columns, stock, plan, results } = workerData as LoadData;
const trace = new Trace(columns);
const calls = new ReplayedCalls(results);
using client = new ServiceClient(plan.url, plan.inFlightMax);
await replay();
parentPort!.postMessage("over");

async function replay(): Promise<void> {
  const { atMs } = columns;
  const startedAt = performance.now();
  const pending = new Set<Promise<void>>();
  for (let call = 0; call < trace.calls; call++) {
    const dueAt = startedAt + atMs[call]! - atMs[0]!;
    const aheadMs = dueAt - performance.now();
    // Timers have whole milliseconds: what a call waits beyond its instant counts as its latency.
    if (aheadMs > 0) await sleep(Math.ceil(aheadMs));
    if (pending.size >= plan.inFlightMax) {
      calls.end(call, { outcome: "unsent", tookMs: 0, sentAfterMs: 0 });
      continue;
    }
    const sent: Promise<void> = send(call, dueAt).then(() => void pending.delete(sent));
    pending.add(sent);
  }
  await Promise.all(pending);
}

async function send(call: number, dueAt: number): Promise<void> {
  const sentAfterMs = performance.now() - dueAt;
  const deadlineMs = columns.timeBudgetMs[call]!;
  const first = columns.firstPicture[call]!;
  const pictures = Array.from(
    { length: trace.picturesOf(call) },
    (_, index) => stock.pictures[stock.pictureOf[first + index]!]!,
  );
  const lane = columns.lanes[columns.lane[call]!]!;
  const key = plan.keys[columns.tenant[call]! % plan.keys.length]!;
  const { status, error } = await client.call({ lane, pictures, key, deadlineMs });
  const tookMs = performance.now() - dueAt;
  const outcome = replayOutcome(status, error, tookMs > deadlineMs);
  calls.end(call, { outcome, tookMs, sentAfterMs });
}

export type LoadData = {
  columns: TraceColumns;
  stock: PictureStock;
  plan: LoadPlan;
  results: ReplayColumns;
};

export type LoadPlan = {
  url: string;
  /** API keys of teams: tenant n of the trace uses key n, modulo their number. */
  keys: readonly string[];
  /** Calls beyond are not sent, and counted. */
  inFlightMax: number;
};
