import assert from "node:assert/strict";
import test from "node:test";
import {
  inRandomOrder,
  mean,
  median,
  mulberry32,
  type Pair,
  pairedRatio,
  quantile,
  ratioOverStarts,
  trimmedMeanInterval,
  verdictOf,
} from "./statistics.ts";

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

test("with several starts the interval covers the differences between them", () => {
  const start = (ratio: number): Pair[] => Array.from({ length: 20 }, () => ({ old: 3, new: 3 * ratio }));
  const starts = [0.9, 1, 1.1].map(start);
  const [within, over] = [pairedRatio(starts.flat()), ratioOverStarts(starts)];
  assert.ok(Math.abs(over.ratio - within.ratio) < 1e-9);
  assert.ok(over.high / over.low > 3 * (within.high / within.low - 1) + 1);
  assert.deepEqual(ratioOverStarts([start(1.1)]), pairedRatio(start(1.1)));
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

test("slower takes the whole interval beyond the bound, in the direction that is worse", () => {
  const estimate = (low: number, high: number) => ({ ratio: Math.sqrt(low * high), low, high });
  assert.equal(verdictOf(estimate(1.06, 1.2), "less"), "slower");
  assert.equal(verdictOf(estimate(1.06, 1.2), "more"), "faster");
  assert.equal(verdictOf(estimate(0.8, 0.94), "more"), "slower");
  assert.equal(verdictOf(estimate(0.8, 0.94), "less"), "faster");
  assert.equal(verdictOf(estimate(1.04, 1.2), "less"), "unclear");
  assert.equal(verdictOf(estimate(0.7, 1.4), "less"), "unclear");
  assert.equal(verdictOf(estimate(0.97, 1.04), "less"), "same");
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

test("in random order every value is there once, and in each place equally often", () => {
  const random = mulberry32(3);
  const orders = Array.from({ length: 3_000 }, () => inRandomOrder(["a", "b", "c"], random));
  assert.deepEqual(orders[0]!.toSorted(), ["a", "b", "c"]);
  for (const place of [0, 1, 2]) {
    const count = orders.filter((order) => order[place] === "a").length;
    assert.ok(Math.abs(count - 1_000) < 100, `${count}`);
  }
});

test("a trimmed mean is not moved by one value that is far off, and most intervals have the true mean", () => {
  const random = mulberry32(5);
  const noise = () => random() + random() + random() - 1.5;
  const usual = Array.from({ length: 40 }, () => 7 + noise());
  const { mean: middle, low, high } = trimmedMeanInterval([...usual, 1_000], random);
  assert.ok(Math.abs(middle - 7) < 0.3 && low < 7 && high > 7 && high - low < 1, `${low} ${middle} ${high}`);
  const trials = Array.from({ length: 30 }, () => {
    const interval = trimmedMeanInterval(Array.from({ length: 20 }, noise), random);
    return interval.low <= 0 && interval.high >= 0;
  });
  const share = trials.filter(Boolean).length / trials.length;
  assert.ok(share >= 0.85, `${share}`);
  assert.throws(() => trimmedMeanInterval([1], random), /two values, not 1/);
});
