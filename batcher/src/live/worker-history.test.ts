import assert from "node:assert/strict";
import test from "node:test";
import { compareRuns, type WorkerRun } from "./worker-history.ts";

const runs = (alike: string, runMs: number, count = 10): WorkerRun[] =>
  Array.from({ length: count }, () => ({ alike, runMs, endedAt: 0 }));

const ratios = (workers: Record<string, WorkerRun[]>) =>
  Object.fromEntries(
    [...compareRuns(new Map(Object.entries(workers)))].map(([worker, { runRatio, isSlow }]) => [
      worker,
      [runRatio, isSlow],
    ]),
  );

test("of two workers the one that takes longer for the same batches is slow, and the other is not", () => {
  assert.deepEqual(ratios({ good: runs("a", 50, 20), bad: runs("a", 90) }), {
    good: [50 / 90, false],
    bad: [1.8, true],
  });
});

test("a worker that runs larger batches or a slower lane is not slow", () => {
  const small = [...runs("size 1", 10, 90), ...runs("size 8", 80)];
  const large = [...runs("size 1", 10), ...runs("size 8", 80, 90), ...runs("another lane", 900)];
  assert.deepEqual(ratios({ small, large }), { small: [1, false], large: [1, false] });
});

test("a worker that nobody shares a lane or size with is not compared", () => {
  assert.deepEqual(ratios({ one: runs("a", 10), other: runs("b", 500), idle: [] }), {
    one: [null, false],
    other: [null, false],
    idle: [null, false],
  });
});

test("a worker is called slow from 1.5 times on, and after several runs", () => {
  const others = runs("a", 100, 100);
  assert.deepEqual(ratios({ others, bad: runs("a", 150) })["bad"], [1.5, true]);
  assert.deepEqual(ratios({ others, bad: runs("a", 149) })["bad"], [1.49, false]);
  assert.deepEqual(ratios({ others, bad: runs("a", 3_000, 3) })["bad"], [30, false]);
});

test("one slow worker of many leaves the ratios of the others below 1, and two slow ones are both seen", () => {
  const pool = { w1: runs("a", 100), w2: runs("a", 100), w3: runs("a", 100), w4: runs("a", 300) };
  const one = ratios(pool);
  assert.ok(["w1", "w2", "w3"].every((worker) => (one[worker]![0] as number) < 1));
  assert.deepEqual(one["w4"], [3, true]);
  const two = ratios({ ...pool, w3: runs("a", 300) });
  assert.deepEqual([two["w2"]![1], two["w3"]![1], two["w4"]![1]], [false, true, true]);
});
