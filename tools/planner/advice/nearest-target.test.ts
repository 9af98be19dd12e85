import assert from "node:assert/strict";
import test from "node:test";
import type { PoolSettings } from "../prediction/predict.ts";
import type { Tried } from "../search/search.ts";
import { newPrediction } from "../testing/fixtures.ts";
import { nearestTarget, widenedTarget } from "./nearest-target.ts";

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
  const nearest = await nearestTarget([tried(2, 4), tried(4, 1), tried(4, 8)], {
    target,
    predictWhole: async (settings) => ({
      settings,
      prediction: newPrediction(
        settings.batchMax === 8 ? { p99Ms: 110, shed: 0.1 } : { p99Ms: 150, shed: 0.001 },
      ),
    }),
  });
  assert.deepEqual(nearest.settings, settingsOf(4, 1));
  assert.deepEqual(nearest.target, { p99: 150, shed: 0.001 });
});

const settingsOf = (workers: number, batchMax: number): PoolSettings => ({
  workers,
  batchMax,
  utilisationTarget: 0.85,
});

const tried = (workers: number, batchMax: number): Tried => ({
  settings: settingsOf(workers, batchMax),
  prediction: newPrediction({ missed: ["p99"] }),
});
