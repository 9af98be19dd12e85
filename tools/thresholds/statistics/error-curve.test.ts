import assert from "node:assert/strict";
import test from "node:test";
import { ErrorCurve, equalError } from "./error-curve.ts";

const curveOf = (same: number[], different: number[]) =>
  new ErrorCurve([
    ...same.map((distance) => ({ distance, same: true })),
    ...different.map((distance) => ({ distance, same: false })),
  ]);

test("a distance equal to the threshold is a match, of different people a false one", () => {
  const curve = curveOf([0.1, 0.3], [0.2, 0.3, 0.4, 0.5]);
  assert.deepEqual(curve.rates(0.3), { fmr: 2 / 4, fnmr: 0 });
  assert.deepEqual(curve.rates(0.2999), { fmr: 1 / 4, fnmr: 1 / 2 });
  assert.deepEqual(curve.rates(0), { fmr: 0, fnmr: 1 });
  assert.deepEqual(curve.rates(2), { fmr: 1, fnmr: 0 });
});

test("the equal error rate is where both rates cross, in the middle of a gap where nothing errs", () => {
  assert.deepEqual(equalError(curveOf([0.1, 0.2, 0.6, 0.3], [0.5, 0.7, 0.8, 0.9])), {
    rate: 0.25,
    threshold: 0.55,
  });
  const { rate, threshold } = equalError(curveOf([0.1, 0.2], [0.4, 0.5]));
  assert.equal(rate, 0);
  assert.ok(Math.abs(threshold - 0.3) < 1e-12);
});

test("thresholds reach the rates of few errors: no step more than doubles them", () => {
  const many = Array.from({ length: 10_000 }, (_, i) => i / 10_000);
  const curve = curveOf(many, many);
  const thresholds = curve.thresholds(20);
  for (const [index, threshold] of thresholds.entries()) {
    const next = thresholds[index + 1];
    if (next === undefined) continue;
    assert.ok(curve.falseMatches(next) <= 2 * curve.falseMatches(threshold) + 1 || next > 0.1);
    assert.ok(curve.falseNonMatches(threshold) <= 2 * curve.falseNonMatches(next) + 1 || threshold < 0.9);
  }
});

test("thresholds are few, ascend, and end at the smallest and the largest distance", () => {
  const many = Array.from({ length: 10_000 }, (_, i) => i / 10_000);
  const thresholds = curveOf(many, [0.5, 3]).thresholds(100);
  assert.ok(thresholds.length <= 52 + 14);
  assert.deepEqual([thresholds[0], thresholds.at(-1)], [0, 3]);
  assert.deepEqual(
    thresholds,
    thresholds.toSorted((a, b) => a - b),
  );
});
