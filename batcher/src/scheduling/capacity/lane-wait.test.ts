import assert from "node:assert/strict";
import test from "node:test";
import { batchesOf, call, newPool, report } from "../../../testing/fixtures.ts";
import { decide } from "../decide.ts";
import type { Event } from "../state/state.ts";
import { laneWait } from "./lane-wait.ts";

test("a lane without workers, without tasks, and with a worker that has no room for more", () => {
  const pool = openPool();
  pool.handle(call("one", 1, { now: 0 }), 0);
  assert.deepEqual(pool.wait(0), { kind: "no_worker" });
  pool.handle(report("w1"), 10);
  assert.deepEqual(pool.wait(10), { kind: "nothing_waits" });
  // The batch is on its way, so the worker has one staged.
  pool.handle(call("two", 1, { now: 11 }), 11);
  const { kind, ...wait } = pool.wait(11);
  assert.equal(kind, "all_busy");
  assert.ok("freeInMs" in wait && wait.freeInMs > 0 && wait.freeInMs < 100);
});

test("while a batch runs, the next one is sent just before its end", () => {
  const pool = openPool();
  const [batch] = batchesOf(pool.handle(report("w1"), 0).concat(pool.handle(call("one", 8, { now: 0 }), 0)));
  pool.handle(report("w1", { running: { batch: batch!, startedAt: 5, endsAt: 505 } }), 6);
  pool.handle(call("two", 1, { now: 7 }), 7);
  const wait = pool.wait(7);
  assert.equal(wait.kind, "staging");
  assert.ok(wait.kind === "staging" && wait.sendInMs > 300 && wait.sendInMs < 500);
});

test("a lane that is held for more tasks says for how many, and how long at most", () => {
  const pool = openPool();
  const sizes = [1, 8, 32].map((size) => ({ size, runMs: 100 + size }));
  // Two workers, and calls so fast that small batches could not keep up with them.
  for (const [partition, worker] of ["w1", "w2"].entries())
    pool.handle(report(worker, { sizes, partition }), 0);
  let held = pool.wait(0);
  for (let now = 0; now < 2_000 && held.kind !== "held"; now += 20) {
    pool.handle(call(`c${now}`, 2, { now, deadlineAt: now + 5_000 }), now);
    for (const [partition, worker] of ["w1", "w2"].entries())
      pool.handle(report(worker, { sizes, partition }), now);
    pool.state.loads.removeAllBatches();
    held = pool.wait(now);
  }
  assert.ok(held.kind === "held", held.kind);
  assert.ok(held.floor > 2 && held.floor <= 32, `${held.floor}`);
  assert.ok(held.holdMaxMs > 0 && held.holdMaxMs < 200, `${held.holdMaxMs}`);
});

function openPool() {
  const state = newPool();
  decide(state, { kind: "partition_assigned" }, 0);
  return {
    state,
    handle: (event: Event, now: number) => decide(state, event, now),
    wait: (now: number) => {
      const [lane] = state.lanes.values();
      return laneWait(state, lane!, now);
    },
  };
}
