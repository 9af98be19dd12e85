// Covers ../report/replay-text.ts too.
import assert from "node:assert/strict";
import test from "node:test";
import { LaneId } from "@faceline/contracts/wire/ids";
import type { Prediction } from "../prediction/predict.ts";
import { replayText } from "../report/replay-text.ts";
import { compare, measuredOf } from "./comparison.ts";
import { ReplayedCalls, type ReplayOutcome } from "./replayed-calls.ts";
import type { RunCounts } from "./run-counts.ts";

const predicted: Prediction = {
  calls: 100,
  p50Ms: 45,
  p99Ms: 120,
  shed: 0.01,
  late: 0,
  failed: 0,
  meanBatch: 2.2,
  utilisation: 0.5,
  workerSecondsPer1000: 10,
  stages: { serviceMs: 10, waitMs: 5, prepareMs: 3, runMs: 20 },
  meanRunMs: { 1: 18, 2: 30, 4: 55 },
  meanRunCpuMs: {},
  missed: [],
};

test("errors are ratios of times and sizes, and differences of shares", () => {
  const measured = measuredOf(replayed(), { meanBatch: 2, utilisation: 0.45 });
  const errors = compare(predicted, measured).map(({ name, error }) => [name, Number(error!.toFixed(4))]);
  assert.deepEqual(errors, [
    ["p50", -0.1],
    ["p99", -0.1667],
    ["shed", -0.01],
    ["late", -0.02],
    ["mean batch", 0.1],
    ["utilisation", 0.05],
  ]);
});

test("the parts of Server-Timing and what the client waited beyond them make up the whole", () => {
  const { stages, parts } = measuredOf(replayed(), {});
  assert.deepEqual(stages, { serviceMs: 15, waitMs: 10, prepareMs: 5, runMs: 21 });
  assert.equal(parts["client"], 1);
});

test("runs are compared by the size of their batch, where both have some of it", () => {
  const text = replayText({ predicted }, measuredOf(replayed(), { runs: runsOf({ 2: 36, 8: 100 }) }));
  assert.match(text, /A run of a batch of 2: 30\.0 ms predicted, 36\.0 measured/);
  assert.doesNotMatch(text, /batch of [148]:/);
});

test("a prediction at the pace of the replay stands beside the first one, with what is left of the error", () => {
  const atPace = { pace: 1.084, prediction: { ...predicted, p50Ms: 49 } };
  const text = replayText({ predicted, atPace }, measuredOf(replayed(), {}));
  assert.match(text, /predicted +measured +error +at its pace +error$/m);
  assert.match(text, /p50 +45\.0 ms +50\.0 ms +-10\.0 % +49\.0 ms +-2\.0 %$/m);
  assert.match(text, /Runs took 1\.08 times the CPU time/);
  assert.ok(Math.max(...text.split("\n").map((line) => line.length)) <= 110, text);
});

test("where runs take far longer or shorter than by the profile, it concludes that no plan of it holds", () => {
  const concludes = (meanRunMs: Record<number, number>) =>
    /do not use a plan of it\. Calibrate again/.test(
      replayText({ predicted }, measuredOf(replayed(), { runs: runsOf(meanRunMs) })),
    );
  const cases = [{ 1: 20, 2: 33, 4: 60 }, { 1: 31, 2: 60, 4: 110 }, { 1: 9, 2: 15, 4: 30 }, {}];
  assert.deepEqual(cases.map(concludes), [false, true, true, false]);
});

test("what was not measured has no error, and the text fits a terminal", () => {
  const text = replayText({ predicted }, measuredOf(replayed(), {}), ["a mark"]);
  assert.match(text, /^a mark\n/);
  assert.match(text, /mean batch +2\.20 +not read$/m);
  assert.match(text, /shed +1\.00 % +2\.00 % +-1\.00 points/);
  assert.match(text, /waiting for a worker +5\.0 +10\.0 +-5\.0/);
  assert.match(text, /Calls: 94 answered, 2 expired, 2 shed, 2 failed\./);
  assert.ok(Math.max(...text.split("\n").map((line) => line.length)) <= 110, text);
});

/** Ten runs of each size, with the mean time of each. */
function runsOf(meanRunMs: Record<number, number>): RunCounts[] {
  const lane = LaneId.parse("Dlib/ssd");
  return Object.entries(meanRunMs).map(([size, ms]) => ({
    lane,
    size: Number(size),
    count: 10,
    ms: 10 * ms,
    cpuMs: undefined,
  }));
}

/** 93 calls of 50 ms and one of 144: 51 ms on average. */
function replayed(): ReplayedCalls {
  const calls = ReplayedCalls.ofLength(100);
  const timing =
    "admission;dur=6, hold;dur=2, queue;dur=8, hop;dur=8, prepare;dur=5, run;dur=21, total;dur=50";
  const end = (call: number, outcome: ReplayOutcome, tookMs: number) =>
    calls.end(call, {
      outcome,
      tookMs,
      sentAfterMs: 0.5,
      serverTiming: outcome === "answered" ? timing : "",
    });
  for (let call = 0; call < 93; call++) end(call, "answered", 50);
  end(93, "answered", 100 + 44);
  for (let call = 94; call < 100; call++) end(call, (["expired", "shed", "failed"] as const)[call % 3]!, 1);
  return calls;
}
