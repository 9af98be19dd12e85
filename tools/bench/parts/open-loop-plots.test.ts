import assert from "node:assert/strict";
import test from "node:test";
import { type OpenLoopCall, summarise } from "../load/open-loop.ts";
import { type OpenLoopCase, poolRepeats } from "./open-loop.ts";
import { latencyPlot } from "./open-loop-plots.ts";

const plan = { engine: "model:40+2b", deadlineMs: 300, capacityPerSecond: 320 };

test("the plot names every server and rate, and what is possible at all", () => {
  const groups = poolRepeats([
    caseOf("Faceline", 250, [100, 400]),
    caseOf("Q & A", 250, [100, 100]),
    caseOf("Faceline", 640, [100]),
    caseOf("Q & A", 640, [400]),
  ]);
  const svg = latencyPlot(groups, plan);
  for (const words of ["Faceline", "Q &amp; A", "250 requests/s", "640 requests/s", "320.0 requests/s"]) {
    assert.ok(svg.includes(words), words);
  }
  assert.ok(!/NaN|undefined/.test(svg), svg);
});

test("repeats of a server and rate are one line", () => {
  const [group, ...others] = poolRepeats([caseOf("Faceline", 250, [1]), caseOf("Faceline", 250, [2, 3])]);
  assert.deepEqual([group!.repeats.length, group!.calls.length, others.length], [2, 3, 0]);
});

function caseOf(server: string, perSecond: number, latenciesMs: number[]): OpenLoopCase {
  const calls = latenciesMs.map(
    (tookMs): OpenLoopCall => ({ dueMs: 0, tookMs, sentAfterMs: 0, status: 200 }),
  );
  const summary = summarise(calls, plan.deadlineMs);
  return {
    server,
    perSecond,
    repeat: 0,
    summary,
    meanBatch: 1,
    sentAfterP99Ms: 0,
    cpu: null,
    tookMs: 1,
    calls,
  };
}
