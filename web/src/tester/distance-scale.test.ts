import assert from "node:assert/strict";
import { test } from "node:test";
import { distanceScale } from "./distance-scale.ts";

const at = (own: number, chosen = own) => ({ own, chosen });

test("a scale holds twice the model's own threshold, and each distance with room to its right", () => {
  assert.equal(distanceScale([0.01], at(0.07), undefined).end, 0.14);
  assert.equal(distanceScale([0.01, 1], at(0.07), undefined).end, 1.1);
  assert.deepEqual(distanceScale([0.07], at(0.07), undefined).distances, [0.5]);
});

test("it stays still while a threshold on it moves, and holds one beyond its end", () => {
  const ends = [0, 0.01, 0.07, 0.12].map((chosen) => distanceScale([0.01], at(0.07, chosen), undefined).end);
  assert.deepEqual(ends, [0.14, 0.14, 0.14, 0.14]);
  assert.equal(distanceScale([0.01], at(0.5, 0.25), undefined).threshold, 0.25);
  assert.equal(distanceScale([0.01], at(0.07, 0.14), undefined).end, 0.14);
  assert.equal(distanceScale([0.01], at(0.07, 1), undefined).end, 1);
});

test("two equal images at a threshold of 0 have a scale too", () => {
  const { end, distances, threshold } = distanceScale([0], at(0), undefined);
  assert.deepEqual([end, distances, threshold], [1, [0], 0]);
});

test("labelled pairs beyond its end are left out and counted", () => {
  const labelled = { same: [0.5, 1], different: [1, 2, 2.1] };
  const { same, different, differentBeyond } = distanceScale([0], at(1), labelled);
  assert.deepEqual([same, different, differentBeyond], [[0.25, 0.5], [0.5, 1], 1]);
});

test("the axis has round distances from 0 on", () => {
  const labels = (own: number) => distanceScale([0], at(own), undefined).ticks.map(({ label }) => label);
  assert.deepEqual(labels(0.0737), ["0", "0.05", "0.1"]);
  assert.deepEqual(labels(0.5), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
  assert.deepEqual(labels(5), ["0", "2", "4", "6", "8", "10"]);
});
