import assert from "node:assert/strict";
import { test } from "node:test";
import { labelledBy, labelledErrors } from "./labelled-pairs.ts";

const labelled = { same: [0.01, 0.05, 0.09], different: [0.08, 0.2, 0.3, 0.4] };

test("a threshold between the people gets few labelled pairs wrong, and a distance equal to it matches", () => {
  assert.deepEqual(labelledErrors(labelled, 0.08), {
    falseMatches: 1,
    differentPairs: 4,
    falseNonMatches: 1,
    samePairs: 3,
  });
});

test("at 0 nobody matches, and far up everybody does", () => {
  const { falseMatches, falseNonMatches } = labelledErrors(labelled, 0);
  assert.deepEqual([falseMatches, falseNonMatches], [0, 3]);
  assert.deepEqual(labelledErrors(labelled, 1).falseMatches, 4);
});

test("by euclidean_l2 the distances follow from those by cosine; by an unknown metric there are none", () => {
  assert.deepEqual(labelledBy("cosine", { cosine: labelled }), labelled);
  assert.deepEqual(labelledBy("euclidean_l2", { cosine: { same: [0, 0.5], different: [2] } }), {
    same: [0, 1],
    different: [2],
  });
  assert.equal(labelledBy("euclidean", { cosine: labelled }), undefined);
  assert.equal(labelledBy("euclidean_l2", null), undefined);
});
