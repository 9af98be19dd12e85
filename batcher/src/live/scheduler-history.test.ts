// Covers batcher-state.ts too.
import assert from "node:assert/strict";
import test from "node:test";
import type { FinishedBatch } from "@faceline/contracts/wire/report";
import type { LivePart } from "@faceline/runtime/live/state";
import { answered, buildOf, call, newPool, report } from "../../testing/fixtures.ts";
import { decide } from "../scheduling/decide.ts";
import type { SentBatch } from "../scheduling/state/sent-batch.ts";
import type { Event, Move } from "../scheduling/state/state.ts";
import { liveBatcher } from "./batcher-state.ts";
import { SchedulerHistory } from "./scheduler-history.ts";

test("a lane is shown with what waits, for what, and its rate; a batch in its minute", () => {
  const pool = openPool();
  pool.handle(call("one", 4, { now: 0 }), 0);
  const [stranded] = pool.live(2_100).tables["lanes"]!;
  assert.deepEqual(
    [stranded!["lane"], stranded!["waiting"], stranded!["oldestMs"], stranded!["state"], stranded!["build"]],
    ["Dlib/ssd", 4, 2_100, "No worker of this lane is in service.", null],
  );
  assert.equal(pool.live(2_100).status.title, "No worker");
  pool.handle(report("w1", { sentAt: 2_200 }), 2_200);
  const live = pool.live(12_000);
  const [lane] = live.tables["lanes"]!;
  assert.deepEqual(
    [lane!["sentPerSecond"], lane!["loadedSizes"], lane!["precision"]],
    [0.4, [1, 2, 4, 8], "float32"],
  );
  const { tasksSent, batches, largestBatch, mostWaiting } = live.tables["lastMinutes"]![0]!;
  assert.deepEqual([tasksSent, batches, largestBatch, mostWaiting], [4, 1, 4, 4]);
});

test("what was shed is counted by its reason, which the status names", () => {
  const pool = openPool();
  pool.handle(report("w1"), 0);
  pool.handle(call("hopeless", 2, { now: 0, deadlineAt: 1 }), 0);
  const { status, tables } = pool.live(6_000);
  assert.match(`${status.title}: ${status.detail}`, /^Overloaded: 100% .* \(deadline_infeasible\)\.$/);
  assert.deepEqual(tables["tasksWithoutRun"], [
    {
      reason: "deadline_infeasible",
      meaning: "could not be answered before their deadline",
      past10s: 2,
      past5min: 2,
    },
  ]);
});

test("a worker is free, runs, prepares, or is silent", () => {
  const pool = openPool();
  const state = (now: number) => pool.live(now).tables["workers"]!.map((worker) => worker["state"]);
  pool.handle(report("w1"), 0);
  assert.deepEqual(state(0), ["free"]);
  const { batch } = dispatched(pool.handle(call("one", 2, { now: 1 }), 1));
  assert.deepEqual(state(1), ["fetches and decodes images"]);
  pool.handle(report("w1", { running: { batch, startedAt: 5, endsAt: 19 } }), 6);
  assert.deepEqual(state(6), ["runs a batch"]);
  const [worker] = pool.live(6).tables["workers"]!;
  assert.deepEqual([worker!["runs"], worker!["leftMs"]], ["2 tasks of Dlib/ssd", 13]);
  assert.deepEqual(worker!["loaded"], ["Dlib/ssd float32 on cpu (00000000)"]);
  assert.deepEqual(state(1_100), ["silent: sends no reports"]);
});

test("a worker whose runs take 1.5 times as long as those of the others is slow, from the eighth run on", () => {
  const pool = openPool();
  for (const partition of [1, 2]) pool.handle(report(`w${partition}`, { partition }), 0);
  const run = (worker: string, runMs: number) =>
    pool.ended(worker, { ...answered({ id: "a" }), size: 4, runMs });
  const runTimes = () => pool.live(1_000).tables["workers"]!.map((worker) => worker["runTimes"]);
  for (let count = 0; count < 7; count++) run("inference-w1", 18);
  for (let count = 0; count < 8; count++) run("inference-w2", 36);
  assert.deepEqual(runTimes(), [null, null]);
  run("inference-w1", 18);
  assert.deepEqual(runTimes(), ["0.5 × the others", "SLOW: 2 × the others"]);
  assert.equal(pool.live(1_000).status.title, "A worker is slow");
});

test("a worker is shown with the runs that failed and the batches that were lost on it", () => {
  const pool = openPool();
  pool.handle(report("w1"), 0);
  const failed = dispatched(pool.handle(call("one", 4, { now: 1 }), 1));
  const retried = pool.handle(report("w1", { finished: [{ ...answered(failed.batch), end: "failed" }] }), 60);
  pool.handle(report("w1", { running: { batch: dispatched(retried).batch, startedAt: 70, endsAt: 90 } }), 70);
  for (let now = 100; now < 1_500; now += 100) pool.handle({ kind: "timer" }, now);
  const [worker] = pool.live(6_000).tables["workers"]!;
  // The running batch was lost, and one that the worker has not confirmed.
  assert.deepEqual([worker!["failedPast5min"], worker!["lostPast5min"]], [1, 2]);
});

const dispatched = (moves: Move[]) => moves.find((move) => move.kind === "dispatch")!;

test("the role of a batcher: active, standby without lanes, cut off, stopping", () => {
  const pool = openPool();
  pool.handle(report("w1"), 0);
  const role = (now: number) => pool.live(now).facts["role"];
  assert.deepEqual([role(0), pool.live(0).tables["lanes"]!.length], ["active", 1]);
  pool.handle({ kind: "session", endsAt: 50 }, 0);
  assert.equal(role(60), "cut off");
  pool.handle({ kind: "partition_lost" }, 70);
  assert.deepEqual([role(70), pool.live(70).tables["lanes"]!.length], ["standby", 0]);
  pool.handle({ kind: "drain" }, 80);
  assert.equal(role(80), "stopping");
});

test("many lanes, builds and workers do not make the page longer than it may be", () => {
  const pool = openPool();
  for (let worker = 0; worker < 70; worker++) {
    const lanes = [`Model${worker % 35}/ssd`];
    pool.handle(report(`w${worker}`, { lanes, build: buildOf(`${worker % 2}`), partition: worker }), worker);
  }
  const { facts, tables } = pool.live(80);
  assert.deepEqual([tables["lanes"]!.length, tables["workers"]!.length], [16, 64]);
  assert.deepEqual([facts["lanes"], facts["workers"], facts["workersInService"]], [70, 70, 70]);
});

function openPool() {
  const state = newPool();
  const history = new SchedulerHistory(state);
  const handle = (event: Event, now: number): Move[] => {
    const moves = decide(state, event, now);
    history.afterDecision(moves, now);
    return moves;
  };
  handle({ kind: "partition_assigned" }, 0);
  const ended = (worker: string, finished: FinishedBatch) => {
    const sent = { worker, lane: [...state.lanes.values()][0] } as unknown as SentBatch;
    history.afterDecision([{ kind: "batch_ended", sent, end: { kind: "answered", finished } }], 0);
  };
  return {
    handle,
    ended,
    live: (now: number): LivePart =>
      liveBatcher(state, history, { pool: "default", kafka: "responsive", now }),
  };
}
