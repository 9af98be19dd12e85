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
