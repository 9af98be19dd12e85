import assert from "node:assert/strict";
import test from "node:test";
import type { PoolSettings, Prediction } from "../prediction/predict.ts";
import { newPrediction, newProfile } from "../testing/fixtures.ts";
import { paretoFront, search } from "./search.ts";
import { settingsOf } from "./settings-grid.ts";

const choices = [0.7, 0.95];

test("the fewest workers that meet the target win, with the batch size of the least p99", async () => {
  const { winner } = await searchWith(({ workers, batchMax }) => ({
    p99Ms: 100 + batchMax,
    missed: workers < 3 ? ["p99"] : [],
  }));
  assert.deepEqual(winner?.settings, { workers: 3, batchMax: 1, utilisationTarget: 0.7 });
});

test("where nothing meets the target there is no winner, and everything that was tried is there", async () => {
  const { winner, tried } = await searchWith(() => ({ missed: ["p99"] }));
  assert.equal(winner, undefined);
  assert.equal(tried.length, 6 * 8);
});

test("of settings with the same p99 the first of the grid wins, as the grid of a plan begins with the defaults", async () => {
  const first = { batchMax: 4, utilisationTarget: 0.95 };
  const { winner } = await searchWith(() => ({ p99Ms: 50, missed: [] }), first);
  assert.deepEqual(winner?.settings, { workers: 1, ...first });
});

test("the front has the ones that are cheaper or faster than all others, with one more worker too", async () => {
  const { tried } = await searchWith(({ workers, batchMax }) => ({
    p99Ms: 100 / workers + batchMax,
    missed: [],
  }));
  assert.deepEqual(
    paretoFront(tried).map(({ settings }) => [settings.workers, settings.batchMax]),
    [
      [1, 1],
      [2, 1],
    ],
  );
});

/** Searches with predictions that `predictionOf` makes up. */
const searchWith = (
  predictionOf: (settings: PoolSettings) => Partial<Prediction>,
  first?: Omit<PoolSettings, "workers">,
) =>
  search({
    workersMin: 1,
    workersMax: 6,
    settingsOf: (workers) => [
      ...(first === undefined ? [] : [{ workers, ...first }]),
      ...settingsOf(workers, newProfile(), choices),
    ],
    evaluate: async (settings) => newPrediction(predictionOf(settings)),
  });
