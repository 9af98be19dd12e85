import assert from "node:assert/strict";
import test from "node:test";
import type { PoolSettings, Prediction } from "../prediction/predict.ts";
import type { Tried } from "../search/search.ts";
import { newPrediction } from "../testing/fixtures.ts";
import { unmetAdvice, widenedTarget } from "./unmet-target.ts";

const target = { p99: 100, shed: 0.001 };

test("the nearest target keeps the limits that are met, and rounds the others up to what was reached", () => {
  const prediction = newPrediction({ p99Ms: 127.3, shed: 0.0005, late: 0.2 });
  assert.deepEqual(widenedTarget(target, prediction), { p99: 130, shed: 0.001 });
  assert.deepEqual(widenedTarget({ late: 0.01 }, prediction), { late: 0.2 });
});

test("a p99 that is a bucket of the histogram below its limit is no nearest target: that is above the limit", () => {
  assert.deepEqual(widenedTarget(target, newPrediction({ p99Ms: 99.97 })), { p99: 110, shed: 0.001 });
});

test("of the most workers, the settings that come closest to all limits at once are the nearest", async () => {
  const { nearest } = await unmetAdvice([tried(2, 4), tried(4, 1), tried(4, 8)], {
    ...sources(),
    predictWhole: async ({ batchMax }) =>
      newPrediction(batchMax === 8 ? { p99Ms: 110, shed: 0.1 } : { p99Ms: 150, shed: 0.001 }),
  });
  assert.deepEqual(nearest.settings, settingsOf(4, 1));
  assert.deepEqual(nearest.target, { p99: 150, shed: 0.001 });
});

test("the fewest workers that meet the target are found, also between two powers of two", async () => {
  const { more } = await unmetAdvice(
    [tried(4, 1)],
    sources((workers) => workers >= 11),
  );
  assert.equal(more?.settings.workers, 11);
});

test("settings that hold on the windows alone are not enough", async () => {
  const { more } = await unmetAdvice(
    [tried(4, 1)],
    sources((workers, scope) => scope === "windows" || workers >= 9),
  );
  assert.equal(more?.settings.workers, 9);
});

test("where four times as many workers miss the target too, it says how many were tried", async () => {
  const { more, workersTried } = await unmetAdvice(
    [tried(4, 1)],
    sources(() => false),
  );
  assert.deepEqual([more, workersTried], [undefined, 16]);
});

const settingsOf = (workers: number, batchMax: number): PoolSettings => ({
  workers,
  batchMax,
  utilisationTarget: 0.85,
});

const tried = (workers: number, batchMax: number): Tried => ({
  settings: settingsOf(workers, batchMax),
  scope: "windows",
  prediction: newPrediction({ missed: ["p99"] }),
});

function sources(holds: (workers: number, scope: string) => boolean = () => false) {
  return {
    target,
    evaluate: async ({ workers }: PoolSettings, scope: string): Promise<Prediction> =>
      newPrediction({ missed: holds(workers, scope) ? [] : ["p99"] }),
    predictWhole: async () => newPrediction({ p99Ms: 200 }),
  };
}
