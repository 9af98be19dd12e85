import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneState } from "@faceline/contracts/wire/pool-state";
import { testPool } from "../../testing/server.ts";
import { chooseOffer, type PoolOffer, poolOffers } from "./pool-choice.ts";
import { ReceivedState } from "./received-state.ts";

const lanes = new Set(["Dlib/ssd"]);

const view = (pool: string, lane: Partial<LaneState> = {}): ReceivedState =>
  new ReceivedState(
    { ...testPool, pool, lanes: [{ ...testPool.lanes[0]!, waiting: 0, taskMs: 2, ...lane }] },
    0,
  );

const offer = (pool: string, costMs: number, durationMs = 50): PoolOffer => ({
  pool,
  isLoaded: true,
  waitMs: 10,
  durationMs,
  costMs,
});

/** Chooses with these random numbers, one after another. */
const choose = (offers: PoolOffer[], ...numbers: number[]): string | undefined =>
  chooseOffer(offers, 1_000, () => numbers.shift()!)?.pool;

test("the better one of two pools that are drawn, and not the best of all", () => {
  const offers = [offer("a", 10), offer("b", 500), offer("c", 300), offer("d", 400)];
  assert.equal(choose(offers, 0.5, 0), "c");
  assert.equal(choose(offers, 0.3, 0.5), "d");
  assert.equal(choose(offers, 0.99, 0), "a");
});

test("every two pools may be drawn, and never one alone", () => {
  const offers = ["a", "b", "c"].map((pool) => offer(pool, 1));
  const drawn = new Set<string>();
  for (const first of [0, 0.4, 0.7]) {
    for (const second of [0, 0.5]) {
      const numbers = [first, second];
      // The second pool that is drawn is the better one.
      const one = choose(offers, first, second)!;
      const better = offers.map((each) => (each.pool === one ? { ...each, costMs: 2 } : each));
      drawn.add(`${one}${chooseOffer(better, 1_000, () => numbers.shift()!)!.pool}`);
    }
  }
  assert.deepEqual([...drawn].toSorted(), ["ab", "ac", "ba", "bc", "ca", "cb"]);
});

test("pools of equal cost share the calls", () => {
  const offers = [offer("a", 10), offer("b", 10)];
  assert.deepEqual([choose(offers, 0.2, 0), choose(offers, 0.8, 0)], ["a", "b"]);
});

test("only pools that would finish by the deadline are drawn", () => {
  const offers = [offer("a", 10, 1_001), offer("b", 500, 1_000), offer("c", 10, 1_001)];
  // One pool is left: no random number is needed.
  assert.equal(choose(offers), "b");
  assert.equal(choose([offers[0]!, offers[2]!]), undefined);
});

test("a pool is compared by all tasks that wait there, and not by the wait of a team without any", () => {
  const [few, many] = poolOffers(
    [view("few", { waiting: 5 }), view("many", { waiting: 50 })],
    lanes,
    "standard",
  );
  assert.equal(few!.durationMs, many!.durationMs);
  assert.deepEqual([few!.costMs - few!.durationMs, many!.costMs - many!.durationMs], [10, 100]);
});

test("tasks that this process has sent since the state count, so that a burst does not go to one pool", () => {
  // Pool b has half the workers: a task takes twice as long.
  const views = [view("a", { taskMs: 1 }), view("b", { taskMs: 2 })];
  const sent: string[] = [];
  for (let call = 0; call < 30; call++) {
    const { pool } = chooseOffer(poolOffers(views, lanes, "standard"), 1_000, () => 0)!;
    sent.push(pool);
    views.find(({ state }) => state.pool === pool)!.countSent("Dlib/ssd", 1);
  }
  assert.deepEqual([sent.filter((pool) => pool === "a").length, sent.length], [20, 30]);
});

test("where a batcher of the release before does not say what a task takes, it counts as a run", () => {
  const old = { taskMs: null, expectedRunMs: 40, workers: 4, waiting: 3 };
  const [{ costMs, durationMs }] = poolOffers([view("old", old)], lanes, "standard") as [PoolOffer];
  assert.equal(costMs - durationMs, 30);
});
