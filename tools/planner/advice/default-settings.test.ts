import assert from "node:assert/strict";
import test from "node:test";
import { settingsOf } from "../search/settings-grid.ts";
import { newProfile, newTried } from "../testing/fixtures.ts";
import { fewestChangesFirst, preferDefaults } from "./default-settings.ts";

const profile = newProfile();
const winner = newTried({ batchMax: 2, utilisationTarget: 0.7 }, { p99Ms: 100 });

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
  test(`beside a p99 of 100 ms with other settings, ${p99Ms} ms with the defaults gives batches of ${batchMax}`, () => {
    const tried = [newTried({ batchMax: 4 }, { p99Ms }), winner];
    assert.equal(preferDefaults(winner, { tried, profile, tieFactor: 1.01 }).settings.batchMax, batchMax);
  });
}

test("defaults that were not to be searched, or that miss the target, do not win", () => {
  const missing = newTried({ batchMax: 4 }, { missed: ["shed"] });
  for (const tried of [[winner], [missing, winner]]) {
    assert.equal(preferDefaults(winner, { tried, profile, tieFactor: 1.01 }), winner);
  }
});
