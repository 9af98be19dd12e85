import assert from "node:assert/strict";
import test from "node:test";
import { runProfile, usefulSize } from "./lane-profile.ts";
import type { RunSample } from "./lane-samples.ts";
import { preparationLine } from "./preparation-samples.ts";

/** Samples of runs of 20 + 2b ms, a tenth more for each other worker, with one slow run of each kind. */
const samples: RunSample[] = [1, 2, 4, 8, 16, 32].flatMap((size) =>
  [0, 1, 2].flatMap((besides) =>
    [1, 1, 1, 1.2].map((factor) => ({ size, besides, ms: factor * (1 + besides / 10) * (20 + 2 * size) })),
  ),
);

test("a profile has the distribution of runs alone, and how much longer they take beside others", () => {
  const { runs, contention } = runProfile(samples);
  assert.deepEqual(
    runs.map(({ size, ms }) => [size, ms[0], ms.at(-1)]),
    [1, 2, 4, 8, 16, 32].map((size) => [size, 20 + 2 * size, 1.2 * (20 + 2 * size)]),
  );
  assert.deepEqual(
    contention.map((factor) => Number(factor.toFixed(6))),
    [1, 1.1, 1.2],
  );
});

test("the useful size is the smallest that reaches 95 % of the best throughput", () => {
  // 32 pictures in 84 ms are the most, 381 a second; 16 in 52 ms are 308.
  assert.equal(usefulSize(samples), 32);
  const flat = samples.map((each) => ({ ...each, ms: 30 * each.size }));
  assert.equal(usefulSize(flat), 1);
});

test("preparation is a line by cost, and what each picture took beside it", () => {
  const line = preparationLine([
    { cost: 1, ms: 7 },
    { cost: 1, ms: 9 },
    { cost: 10, ms: 62 },
    { cost: 10, ms: 62 },
  ]);
  assert.deepEqual(
    [line.alphaMs, line.betaMs].map((each) => Number(each.toFixed(6))),
    [2, 6],
  );
  assert.deepEqual(
    line.factors.map((each) => Number(each.toFixed(3))),
    [0.875, 1.125, 1, 1],
  );
});

test("where all pictures cost the same, preparation is proportional to cost", () => {
  const { alphaMs, betaMs } = preparationLine([
    { cost: 2, ms: 8 },
    { cost: 2, ms: 12 },
  ]);
  assert.deepEqual([alphaMs, betaMs], [0, 5]);
});
