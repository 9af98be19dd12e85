import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneState } from "@faceline/contracts/wire/pool-state";
import { testPool } from "../../testing/server.ts";
import { KnownPools } from "./known-pools.ts";
import { chooseOffer, type PoolOffer, type PoolView, poolOffers } from "./pool-choice.ts";

const lanes = new Set(["SFace/auto"]);

const received = (pool: string, lane: Partial<LaneState> = {}, takeoverMs?: number): KnownPools => {
  const pools = new KnownPools();
  const lanes = [{ ...testPool.lanes[0]!, waiting: 0, taskMs: 2, ...lane }];
  pools.receive({ ...testPool, batcher: "batcher-0000000000000001", pool, lanes, takeoverMs }, 0);
  return pools;
};
const view = (pool: string, lane: Partial<LaneState> = {}): PoolView => received(pool, lane).fresh(0)[0]!;

const offer = (pool: string, costMs: number, rest: Partial<PoolOffer> = {}): PoolOffer => ({
  pool,
  waitMs: 10,
  durationMs: 50,
  costMs,
  tasksPerMs: 1,
  takeoverMs: 0,
  ...rest,
});

/** Chooses with these random numbers, one after another. */
const choose = (offers: PoolOffer[], ...numbers: number[]): string | undefined =>
  chooseOffer(offers, 1_000, () => numbers.shift()!)?.pool;

test("the better one of two pools that are drawn, and not the best of all", () => {
  const offers = [offer("a", 10), offer("b", 500), offer("c", 300), offer("d", 400)];
  assert.equal(choose(offers, 0.3, 0.4), "c");
  assert.equal(choose(offers, 0.3, 0.9), "d");
  assert.equal(choose(offers, 0, 0), "a");
});

test("a difference that may be due to the age of the states is none", () => {
  assert.equal(choose([offer("a", 60), offer("b", 10)], 0, 0), "a");
  assert.equal(choose([offer("a", 61), offer("b", 10)], 0, 0), "b");
});

test("pools are drawn as often as their workers are fast, and never one of them twice", () => {
  const offers = [offer("a", 10), offer("b", 10, { tasksPerMs: 3 }), offer("c", 10)];
  const drawn = Array.from({ length: 10 }, (_, i) => choose(offers, i / 10, 0));
  assert.deepEqual(drawn, ["a", "a", "b", "b", "b", "b", "b", "b", "c", "c"]);
  const worse = [offer("a", 900), offer("b", 800)];
  assert.deepEqual([choose(worse, 0, 0), choose(worse, 0, 0.9)], ["b", "b"]);
});

test("only pools that would finish by the deadline are drawn", () => {
  const late = { durationMs: 1_001 };
  const offers = [offer("a", 10, late), offer("b", 500, { durationMs: 1_000 }), offer("c", 10, late)];
  // One pool is left: no random number is needed.
  assert.equal(choose(offers), "b");
  assert.equal(choose([offers[0]!, offers[2]!]), undefined);
});

test("a pool is compared by all tasks that wait there, and not by the wait of a team without any", () => {
  const [few, many] = poolOffers([view("few", { waiting: 5 }), view("many", { waiting: 50 })], lanes);
  assert.equal(few!.durationMs, many!.durationMs);
  assert.deepEqual([few!.costMs - few!.durationMs, many!.costMs - many!.durationMs], [10, 100]);
});

test("tasks that this process has sent since the state count, so that a burst does not go to one pool", () => {
  // Pool b has half the workers: a task takes twice as long.
  const states = [received("a", { taskMs: 20 }), received("b", { taskMs: 40 })];
  const views = states.flatMap((each) => each.fresh(0));
  const sent: string[] = [];
  for (let call = 0; call < 30; call++) {
    const { pool } = chooseOffer(poolOffers(views, lanes), 1_000, () => 0)!;
    sent.push(pool);
    for (const each of states) each.countSent(pool, "SFace/auto", 1);
  }
  // The first one that is drawn is always pool a.
  assert.deepEqual([sent.filter((pool) => pool === "a").length, sent.length], [21, 30]);
});

test("while a standby takes over, a call waits for that and for all that was sent meanwhile", () => {
  const state = received("a", { taskMs: 20, expectedWaitMs: 10, expectedRunMs: 40 }, 4_000);
  const durationAt = (now: number) => poolOffers(state.fresh(now), lanes)[0]!.durationMs;
  state.countSent("a", "SFace/auto", 100);
  assert.equal(durationAt(2_000), 10 + 40);
  assert.equal(durationAt(3_000), 1_000 + 10 + 40 + 100 * 20);
});
