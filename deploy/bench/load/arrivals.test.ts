import assert from "node:assert/strict";
import test from "node:test";
import { poisson } from "./arrivals.ts";

const traffic = { seed: 7, perSecond: 300, forMs: 100_000 };

test("the same seed gives the same instants, another seed gives others", () => {
  assert.deepEqual(poisson(traffic), poisson(traffic));
  assert.notDeepEqual(poisson(traffic), poisson({ ...traffic, seed: 8 }));
});

test("instants have the rate, lie within the time, and ascend", () => {
  const instants = poisson(traffic);
  // Four deviations of a Poisson count of 30,000.
  assert.ok(Math.abs(instants.length - 30_000) < 4 * Math.sqrt(30_000), `${instants.length}`);
  assert.ok(instants.every((at, index) => at > (instants[index - 1] ?? -1) && at < traffic.forMs));
});

test("gaps are exponential: their mean equals their standard deviation, and most are shorter than the mean", () => {
  const instants = poisson(traffic);
  const gaps = instants.slice(1).map((at, index) => at - instants[index]!);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  assert.ok(Math.abs(Math.sqrt(variance) / mean - 1) < 0.03);
  const shorter = gaps.filter((gap) => gap < mean).length / gaps.length;
  assert.ok(Math.abs(shorter - (1 - Math.exp(-1))) < 0.01, `${shorter}`);
});
