import assert from "node:assert/strict";
import { test } from "node:test";
import { testPool } from "../../testing/server.ts";
import { KnownPools } from "./known-pools.ts";

const lane = "SFace/auto";
const first = { ...testPool, batcher: "batcher-0000000000000001", sequence: 5 };
const namesAt = (pools: KnownPools, now: number): string[] => pools.fresh(now).map(({ state }) => state.pool);

test("a pool counts as absent two seconds after its last state", () => {
  const pools = new KnownPools();
  pools.receive({ ...first, pool: "a" }, 0);
  pools.receive({ ...first, pool: "b" }, 500);
  assert.deepEqual(namesAt(pools, 2_000), ["a", "b"]);
  assert.deepEqual(namesAt(pools, 2_001), ["b"]);
  assert.deepEqual(namesAt(pools, 2_501), []);
});

test("a state of the same batcher that comes out of order is dropped, one of another batcher counts", () => {
  const pools = new KnownPools();
  pools.receive(first, 0);
  pools.receive({ ...first, sequence: 4 }, 1_000);
  assert.equal(pools.fresh(2_000)[0]?.state.sequence, 5);
  assert.deepEqual(namesAt(pools, 2_001), []);
  pools.receive({ ...first, batcher: "batcher-0000000000000002", sequence: 0 }, 1_500);
  assert.equal(pools.fresh(2_000)[0]?.state.sequence, 0);
});

test("the next state of a pool has the tasks that were sent to it before", () => {
  const pools = new KnownPools();
  pools.receive(first, 0);
  pools.countSent(first.pool, lane, 2);
  pools.countSent(first.pool, lane, 1);
  pools.countSent("unknown", lane, 1);
  assert.equal(pools.fresh(0)[0]?.sentTasks(lane), 3);
  pools.receive({ ...first, sequence: 6 }, 100);
  assert.equal(pools.fresh(100)[0]?.sentTasks(lane), 0);
});

test("a silent pool with a standby stays until the standby decides at the latest, without one it is absent", () => {
  const pools = new KnownPools();
  pools.receive({ ...first, pool: "a", takeoverMs: 4_000 }, 0);
  pools.receive({ ...first, pool: "b" }, 0);
  const takeovers = (now: number) =>
    pools.fresh(now).map(({ state, takeoverMs }) => [state.pool, takeoverMs]);
  assert.deepEqual(takeovers(2_000), [
    ["a", 0],
    ["b", 0],
  ]);
  assert.deepEqual(takeovers(2_500), [["a", 1_500]]);
  assert.deepEqual(takeovers(4_000), []);
});
