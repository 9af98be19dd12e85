import assert from "node:assert/strict";
import test from "node:test";
import { settingsOf } from "../search/settings-grid.ts";
import { newPrediction, newProfile, newTried } from "../testing/fixtures.ts";
import { fewestChangesFirst, preferDefaults } from "./default-settings.ts";

const profile = newProfile();
const [defaults, changed] = [newTried({ batchMax: 4 }), newTried({ batchMax: 2, utilisationTarget: 0.7 })];

test("settings that change fewer defaults come first, so that these win where a change buys nothing", () => {
  const choices = [0.7, 0.85];
  const [first, ...others] = fewestChangesFirst(settingsOf(3, profile, choices), profile);
  assert.deepEqual(first, { workers: 3, batchMax: 4, utilisationTarget: 0.85 });
  assert.ok(others.slice(0, 4).every((each) => each.batchMax === 4 || each.utilisationTarget === 0.85));
});

for (const [p99Ms, batchMax] of [
  [100.9, 4],
  [101.1, 2],
] as const) {
  test(`beside a p99 of 100 ms with other settings, ${p99Ms} ms with the defaults gives batches of ${batchMax}`, async () => {
    const winner = { ...changed, scope: "all requests" as const, prediction: newPrediction({ p99Ms: 100 }) };
    const result = await preferDefaults(
      { winner, tried: [defaults, changed, winner] },
      { profile, evaluate: async () => newPrediction({ p99Ms }), tieFactor: 1.01 },
    );
    assert.equal(result.winner!.settings.batchMax, batchMax);
    assert.deepEqual(
      result.tried.map(({ scope }) => scope),
      ["windows", "windows", "all requests", "all requests"],
    );
  });
}

test("defaults that were not to be searched, or that miss the target, do not win", async () => {
  const evaluate = () => assert.fail("nothing is to be predicted");
  const missing = newTried({ batchMax: 4 }, { missed: ["shed"] });
  for (const tried of [[changed], [missing, changed]]) {
    assert.deepEqual(
      await preferDefaults({ winner: changed, tried }, { profile, evaluate, tieFactor: 1.01 }),
      {
        winner: changed,
        tried,
      },
    );
  }
});
