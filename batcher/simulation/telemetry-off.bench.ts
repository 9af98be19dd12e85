import { metricsOff } from "@faceline/contracts/runtime/metrics/metrics";
import { newTraceId } from "@faceline/contracts/runtime/random";
import { tracingOff } from "@faceline/contracts/runtime/tracing/tracing";
import { BatchSpans } from "../src/batch-spans.ts";
import { SchedulerMetrics } from "../src/scheduler-metrics.ts";
import { decide } from "../src/scheduling/decide.ts";
import type { Dispatch } from "../src/scheduling/state.ts";
import { call, newPool, report } from "../testing/fixtures.ts";

// What the places at which traces and metrics are made cost while both are off, in ns: medians of rounds.
// Usage: node batcher/simulation/telemetry-off.bench.ts

const size = 32;
const times = 200_000;
const rounds = 21;

const pool = newPool();
decide(pool, report("w1"), 0);
const dispatch = decide(pool, call("a", size, { now: 0 }), 1).find(
  (move): move is Dispatch => move.kind === "dispatch",
)!;
const { batch } = dispatch;
const spans = new BatchSpans(tracingOff, "default");
const schedulerMetrics = SchedulerMetrics.open(metricsOff, pool, { now: () => 0 });
const traceId = newTraceId();

const hooks: [name: string, of: string, work: () => unknown][] = [
  ["is a new trace sampled", "a call", () => tracingOff.decide(traceId, undefined)],
  ["is a call exported", "a call", () => tracingOff.on],
  [`a batch of ${size} is sent`, "a batch", () => spans.send(dispatch)],
  ["a batch has ended", "a batch", () => spans.end(batch.id, { kind: "answered" }, 2)],
  ["a decision is recorded", "a decision", () => schedulerMetrics?.afterDecision([dispatch])],
];

console.log("| hook | once for | ns |\n|---|---|---|");
for (const [name, of, work] of hooks) console.log(`| ${name} | ${of} | ${medianNs(work).toFixed(1)} |`);

/** Less what the loop itself takes. */
function medianNs(work: () => unknown): number {
  return Math.max(0, medianOf(work) - medianOf(() => undefined));
}

function medianOf(work: () => unknown): number {
  const each = Array.from({ length: rounds }, () => {
    const startedAt = process.hrtime.bigint();
    for (let i = 0; i < times; i++) work();
    return Number(process.hrtime.bigint() - startedAt) / times;
  });
  return each.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!;
}
