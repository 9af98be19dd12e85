import assert from "node:assert/strict";
import test from "node:test";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { median, quantile } from "@faceline/contracts/testing/quantile";
import { mean, type Pair, pairedRatio } from "./statistics.ts";

test("a quantile is one of the values: the nearest rank", () => {
  const values = [5, 1, 4, 2, 3];
  assert.deepEqual(
    [0, 0.5, 0.99, 1].map((share) => quantile(values, share)),
    [1, 3, 5, 5],
  );
  assert.equal(median([4, 1]), 1);
  assert.equal(mean([4, 1]), 2.5);
});

test("the ratio is the geometric mean of the pairs, and the interval is Student's", () => {
  const { ratio, low, high } = pairedRatio([
    { old: 100, new: 100 },
    { old: 100, new: 200 },
    { old: 50, new: 200 },
  ]);
  assert.ok(Math.abs(ratio - 2) < 1e-12);
  // The logarithms are 0, 1 and 2 times ln 2: a standard deviation of ln 2, and t is 4.303.
  const margin = (4.303 * Math.LN2) / Math.sqrt(3);
  assert.ok(Math.abs(Math.log(high) - (Math.LN2 + margin)) < 1e-9);
  assert.ok(Math.abs(Math.log(low) - (Math.LN2 - margin)) < 1e-9);
});

test("noise that both sides of a pair have in common does not widen the interval", () => {
  const { ratio, low, high } = pairedRatio([10, 35, 80, 20].map((old) => ({ old, new: 1.1 * old })));
  for (const each of [ratio, low, high]) assert.ok(Math.abs(each - 1.1) < 1e-9);
});

test("about 95 of 100 intervals contain the true ratio", () => {
  const next = mulberry32(5);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const side = (value: number): number => value * Math.exp(0.1 * normal());
  const trials = Array.from({ length: 2_000 }, () => {
    const pairs = Array.from({ length: 4 }, (): Pair => ({ old: side(1), new: side(1.2) }));
    const { low, high } = pairedRatio(pairs);
    return low <= 1.2 && 1.2 <= high;
  });
  const share = trials.filter(Boolean).length / trials.length;
  assert.ok(share > 0.935 && share < 0.965, `${share}`);
});

test("one pair has no interval, and zero has no ratio", () => {
  assert.throws(() => pairedRatio([{ old: 1, new: 1 }]), /two pairs, not 1/);
  assert.throws(
    () =>
      pairedRatio([
        { old: 1, new: 1 },
        { old: 0, new: 1 },
      ]),
    /no ratio of 1 to 0/,
  );
});
