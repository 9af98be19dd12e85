// Covers lane-history.ts and batcher-state.ts too.
import assert from "node:assert/strict";
import test from "node:test";
import type { LiveBatcher } from "@faceline/runtime/live/state";
import { answered, buildOf, call, newPool, report } from "../../testing/fixtures.ts";
import { decide } from "../scheduling/decide.ts";
import type { Event, Move } from "../scheduling/state/state.ts";
import { liveBatcher } from "./batcher-state.ts";
import { SchedulerHistory } from "./scheduler-history.ts";

test("a batch is shown with its size, its reason, its run time and how well its end was predicted", () => {
  const pool = openPool();
  pool.handle(report("w1"), 0);
  const batch = pool.handle(call("one", 3, { now: 0 }), 20).find((move) => move.kind === "dispatch")!.batch;
  const finished = [{ ...answered(batch), endedAt: 100, runMs: 18 }];
  pool.handle(report("w1", { sentAt: 101, finished }), 102);
  // Reports repeat what they have said.
  pool.handle(report("w1", { sentAt: 103, finished }), 104);
  const [lane] = pool.live(12_000).lanes;
  assert.equal(lane!.lane, "Dlib/ssd");
  assert.deepEqual(lane!.sizes, [{ size: 3, batches: 1 }]);
  assert.equal(lane!.reasons[batch.reason].all, 1);
  // Padded to 4.
  assert.deepEqual(lane!.run.measured, [{ size: 4, runsMs: [18] }]);
  assert.deepEqual(lane!.run.expected.at(-1), { size: 8, ms: 26 });
  const [prediction, ...more] = lane!.predictions;
  assert.equal(prediction!.realMs, 80);
  assert.ok(prediction!.predictedMs > 18 && prediction!.predictedMs < 30);
  assert.deepEqual(more, []);
  assert.equal(
    pool.live(12_000).sent.reduce((sum, each) => sum + each),
    3,
  );
});

test("what was shed is counted by reason, for its lane and in all", () => {
  const pool = openPool();
  pool.handle(report("w1"), 0);
  pool.handle(call("hopeless", 2, { now: 0, deadlineAt: 1 }), 0);
  const live = pool.live(3_000);
  assert.equal(live.shed.deadline_infeasible.all, 2);
  assert.equal(live.lanes[0]!.shed.all, 2);
  assert.equal(live.unserved.at(-1), 2);
  assert.equal(live.shed.queue_too_long.all, 0);
});

test("what waits is shown now, and the most of each slot", () => {
  const pool = openPool();
  pool.handle(call("one", 5, { now: 0 }), 0);
  pool.handle(call("two", 1, { now: 600 }), 600);
  const { lanes, waiting } = pool.live(2_100);
  assert.deepEqual([lanes[0]!.waiting, lanes[0]!.oldestMs, lanes[0]!.build], [6, 2_100, null]);
  assert.deepEqual(lanes[0]!.wait, { kind: "no_worker" });
  assert.deepEqual([waiting.at(-1), lanes[0]!.waitingMost.at(-1)], [6, 6]);
});

test("a worker is free, runs, prepares, or is silent", () => {
  const pool = openPool();
  const state = (now: number) => pool.live(now).workers.map((worker) => worker.state);
  pool.handle(report("w1"), 0);
  assert.deepEqual(state(0), ["free"]);
  const batch = pool.handle(call("one", 2, { now: 1 }), 1).find((move) => move.kind === "dispatch")!.batch;
  assert.deepEqual(state(1), ["preparing"]);
  pool.handle(report("w1", { running: { batch, startedAt: 5, endsAt: 19 } }), 6);
  assert.deepEqual(state(6), ["running"]);
  assert.deepEqual(pool.live(6).workers[0]!.running, { lane: "Dlib/ssd", tasks: 2, leftMs: 13 });
  assert.deepEqual(state(1_100), ["silent"]);
});

test("a worker is shown with its run times ÷ the others'", () => {
  const pool = openPool();
  for (const partition of [1, 2]) pool.handle(report(`w${partition}`, { partition }), 0);
  const sent = [1, 2].map((now) => dispatched(pool.handle(call(`c${now}`, 2, { now }), now)));
  for (const { batch, worker } of sent) {
    const [name, partition, runMs] =
      worker === "inference-w1" ? (["w1", 1, 20] as const) : (["w2", 2, 50] as const);
    pool.handle(report(name, { partition, finished: [{ ...answered(batch), runMs }] }), 60);
  }
  const compared = (now: number) =>
    pool.live(now).workers.map((each) => [each.runRatio, each.comparedRuns, each.isSlow]);
  assert.deepEqual(compared(2_500), [
    [0.4, 1, false],
    [2.5, 1, false],
  ]);
  const never = [null, 0, false];
  assert.deepEqual(compared(400_000), [never, never]);
});

test("a worker is shown with the runs that failed and the batches that were lost on it", () => {
  const pool = openPool();
  pool.handle(report("w1"), 0);
  const failed = dispatched(pool.handle(call("one", 4, { now: 1 }), 1));
  const retried = pool.handle(report("w1", { finished: [{ ...answered(failed.batch), end: "failed" }] }), 60);
  pool.handle(report("w1", { running: { batch: dispatched(retried).batch, startedAt: 70, endsAt: 90 } }), 70);
  for (let now = 100; now < 1_500; now += 100) pool.handle({ kind: "timer" }, now);
  const [worker] = pool.live(4_000).workers;
  assert.deepEqual(
    [worker!.failedRuns, worker!.lostBatches],
    [
      { last10s: 1, all: 1 },
      // The running one, and one that it has not confirmed.
      { last10s: 2, all: 2 },
    ],
  );
});

const dispatched = (moves: Move[]) => moves.find((move) => move.kind === "dispatch")!;

test("the role of a batcher: active, standby, without its session, stopping", () => {
  const pool = openPool();
  assert.equal(pool.live(0).role, "active");
  pool.handle({ kind: "session", endsAt: 50 }, 0);
  assert.equal(pool.live(60).role, "cut_off");
  pool.handle({ kind: "partition_lost" }, 70);
  assert.equal(pool.live(70).role, "standby");
  pool.handle({ kind: "drain" }, 80);
  assert.equal(pool.live(80).role, "stopping");
});

test("many lanes, builds and workers do not make the answer larger than 256 KiB", () => {
  const pool = openPool();
  for (let worker = 0; worker < 70; worker++) {
    const lanes = [`Model${worker % 35}/ssd`];
    pool.handle(report(`w${worker}`, { lanes, build: buildOf(`${worker % 2}`), partition: worker }), worker);
    pool.handle(call(`c${worker}`, 3, { now: worker }), worker);
  }
  const live = pool.live(80);
  assert.deepEqual([live.lanes.length, live.workers.length, live.workersOmitted], [16, 64, 6]);
  assert.ok(live.lanesOmitted > 16);
  const bytes = JSON.stringify(live).length;
  assert.ok(bytes < 256 * 1024, `${bytes} bytes`);
});

function openPool() {
  const state = newPool();
  const history = new SchedulerHistory(state);
  const handle = (event: Event, now: number): Move[] => {
    history.beforeDecision(event);
    const moves = decide(state, event, now);
    history.afterDecision(moves, now);
    return moves;
  };
  handle({ kind: "partition_assigned" }, 0);
  return {
    handle,
    live: (now: number): LiveBatcher =>
      liveBatcher(state, history, { pool: "default", kafka: "responsive", now }),
  };
}
