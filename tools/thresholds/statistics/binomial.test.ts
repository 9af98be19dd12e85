import assert from "node:assert/strict";
import test from "node:test";
import { betaQuantile, clopperPearson, fewClustersFactor, trialsToShow, upperBound } from "./binomial.ts";

const near = (actual: number, expected: number, off = 1e-4) =>
  assert.ok(Math.abs(actual - expected) <= off, `${actual} is not near ${expected}`);

test("intervals of rates agree with the tables of Clopper and Pearson", () => {
  for (const [errors, trials, low, high] of [
    [0, 10, 0, 0.3085],
    [1, 20, 0.0013, 0.2487],
    [10, 100, 0.049, 0.1762],
    [20, 20, 0.8316, 1],
  ] as const) {
    const interval = clopperPearson({ errors, trials });
    near(interval.low, low);
    near(interval.high, high);
  }
});

test("the bound without errors has a closed form, which is about 3 / trials", () => {
  for (const trials of [1, 6, 30, 262, 1_000_000]) {
    const bound = upperBound({ errors: 0, trials });
    near(bound, 1 - 0.05 ** (1 / trials), 1e-12);
    if (trials >= 30) near(bound * trials, 3, 0.15);
  }
  // With every trial an error, nothing is excluded.
  assert.equal(upperBound({ errors: 6, trials: 6 }), 1);
});

test("to show one in a hundred takes 299 independent pairs, and 298 do not suffice", () => {
  assert.equal(trialsToShow(0.01), 299);
  assert.ok(upperBound({ errors: 0, trials: 299 }) <= 0.01);
  assert.ok(upperBound({ errors: 0, trials: 298 }) > 0.01);
  assert.equal(trialsToShow(0.001), 2_995);
});

test("a beta distribution of known shape has known quantiles", () => {
  near(betaQuantile(0.25, { a: 1, b: 1 }), 0.25, 1e-12);
  near(betaQuantile(0.5, { a: 7.5, b: 7.5 }), 0.5, 1e-12);
  near(betaQuantile(0.3, { a: 4, b: 1 }), 0.3 ** (1 / 4), 1e-12);
  near(betaQuantile(0.9, { a: 400_000, b: 600_000 }), 0.4 + 1.28155 * Math.sqrt(0.24 / 1e6), 1e-6);
});

test("few clusters count less, by Student's t: 2.262 of ten, 12.706 of two, none of one", () => {
  near(fewClustersFactor(10), (1.96 / 2.262) ** 2, 1e-3);
  near(fewClustersFactor(2), (1.96 / 12.706) ** 2, 1e-3);
  near(fewClustersFactor(100_000), 1, 1e-4);
  assert.equal(fewClustersFactor(1), 0);
});
