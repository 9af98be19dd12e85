import assert from "node:assert/strict";
import test from "node:test";
import { type RunSample, runProfile } from "./lane-profile.ts";
import { preparationProfile } from "./preparation-samples.ts";

/** Samples of runs of 20 + 2b ms, a tenth more for each other worker, with one slow run of each kind. */
const samples: RunSample[] = [1, 2, 4, 8, 16, 32].flatMap((size) =>
  [0, 1, 2].flatMap((besides) =>
    [1, 1, 1, 1.2].map((factor) => {
      const ms = factor * (1 + besides / 10) * (20 + 2 * size);
      return { size, besides, ms, cpuMs: 0.5 * ms };
    }),
  ),
);

test("a profile has the distribution of runs alone, and how much longer they take beside others", () => {
  const { runs, contention, cpuShare } = runProfile(samples, { isOnCores: false });
  assert.equal(cpuShare, 0.5);
  assert.deepEqual(
    runs.map(({ size, ms }) => [size, ms[0], ms.at(-1)]),
    [1, 2, 4, 8, 16, 32].map((size) => [size, 20 + 2 * size, 1.2 * (20 + 2 * size)]),
  );
  assert.deepEqual(
    contention.map((factor) => Number(factor.toFixed(6))),
    [1, 1.1, 1.2],
  );
});

test("a run that waits for a core counts with its CPU time, one on an accelerator with all of its time", () => {
  const waiting = [10.1, 42, 11].map((ms) => ({ size: 1, besides: 0, ms, cpuMs: 10 }));
  const { runs, cpuShare } = runProfile(waiting, { isOnCores: true });
  assert.deepEqual([runs[0]!.ms[0], runs[0]!.ms.at(-1), cpuShare], [10, 10, 1]);
  assert.equal(runProfile(waiting, { isOnCores: false }).runs[0]!.ms.at(-1), 42);
});

test("preparation takes time in proportion to that of a progressive JPEG, and varies around it", () => {
  const sizes = [
    { bytes: 40_000, pixels: 300_000 },
    { bytes: 40_000, pixels: 2_000_000 },
    { bytes: 900_000, pixels: 2_000_000 },
  ];
  const samples = [0.25, 0.5, 0.75].flatMap((factor) =>
    sizes.map((size) => ({ size, ms: factor * (1 + (18 * size.pixels + 40 * size.bytes) / 1_000_000) })),
  );
  const { imageMs, megapixelMs, megabyteMs, factors } = preparationProfile(samples);
  assert.deepEqual([imageMs, megapixelMs, megabyteMs], [0.5, 9, 20]);
  assert.deepEqual([factors[0], factors.at(-1)], [0.5, 1.5]);
});
