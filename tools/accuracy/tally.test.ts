import assert from "node:assert/strict";
import { test } from "node:test";
import { distances } from "@faceline/inference/testing/distances";
import { type Comparison, equalErrorRate, tally } from "./tally.ts";

const rule = { distance: distances.euclidean, threshold: 0.5 };
const at = (distance: number, samePerson: boolean): Comparison => ({
  one: Float32Array.of(0, 0),
  other: Float32Array.of(distance, 0),
  samePerson,
});

test("a distance that is not greater than the threshold means the same person", () => {
  const rightOf = (comparison: Comparison) => tally([comparison], rule).right;
  assert.deepEqual([rightOf(at(0.5, true)), rightOf(at(0.75, true))], [1, 0]);
  assert.deepEqual([rightOf(at(0.5, false)), rightOf(at(0.75, false))], [0, 1]);
});

test("a face that was not found makes every verdict wrong, and has no distance", () => {
  const missed: Comparison[] = [
    { one: undefined, other: Float32Array.of(0, 0), samePerson: false },
    { one: Float32Array.of(0, 0), other: undefined, samePerson: true },
  ];
  assert.deepEqual(tally([...missed, at(0.25, true)], rule), {
    right: 1,
    of: 3,
    sameMax: 0.25,
    differentMin: null,
    equalErrorRate: null,
  });
});

test("the gap lies between the largest distance of one person and the smallest of two", () => {
  const { sameMax, differentMin } = tally(
    [at(0.25, true), at(0.375, true), at(0.625, false), at(1, false)],
    rule,
  );
  assert.deepEqual([sameMax, differentMin], [0.375, 0.625]);
});

test("the equal error rate is 0 where a threshold separates both sides, and the share of overlap otherwise", () => {
  assert.equal(equalErrorRate([1, 2], [3, 4]), 0);
  assert.equal(equalErrorRate([1, 2, 3, 6], [4, 5, 7, 8]), 0.25);
  assert.equal(equalErrorRate([1], [1]), 0.5);
  assert.equal(equalErrorRate([], [1]), null);
});

test("distances are those of the API: by direction only, or by direction and length", () => {
  const [a, b] = [Float32Array.of(3, 0), Float32Array.of(0, 4)];
  assert.deepEqual([distances.cosine(a, b), distances.euclidean(a, b)], [1, 5]);
  assert.equal(distances.cosine(a, Float32Array.of(6, 0)), 0);
});

test("euclidean_l2 is the square root of twice the cosine distance", () => {
  const [a, b] = [Float32Array.of(3, 4), Float32Array.of(0.5, 0)];
  assert.equal(distances.cosine(a, b), 0.4);
  assert.equal(distances.euclidean_l2(a, b), Number(Math.sqrt(0.8).toFixed(6)));
});
