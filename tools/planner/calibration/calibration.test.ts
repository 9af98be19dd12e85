import assert from "node:assert/strict";
import test from "node:test";
import { type RunSample, runProfile, withoutWaits } from "./lane-profile.ts";
import { preparationProfile } from "./preparation-samples.ts";

/** Samples of runs of 20 + 2b ms, a tenth more for each other worker, with one slow run of each kind. */
const samples: RunSample[] = [1, 2, 4, 8, 16, 32].flatMap((size) =>
  [0, 1, 2].flatMap((besides) =>
    [1, 1, 1, 1.2].map((factor, round) => {
      const ms = factor * (1 + besides / 10) * (20 + 2 * size);
      return { round, size, besides, ms, cpuMs: 0.5 * ms };
    }),
  ),
);

test("a profile has the distribution of runs alone, and how much longer they take beside others", () => {
  const { runs, contention, cpuShare } = runProfile(samples);
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
  const run = (ms: number, cpuMs: number): RunSample => ({ round: 0, size: 1, besides: 0, ms, cpuMs });
  const onCores = [run(10.1, 10), run(42, 12), run(11, 11.2)];
  assert.deepEqual(
    withoutWaits(onCores).map(({ ms }) => ms),
    [10, 12, 11],
  );
  const onAccelerator = [run(10, 1), run(42, 2)];
  assert.deepEqual(withoutWaits(onAccelerator), onAccelerator);
});

test("preparation takes time by pictures, pixels and bytes, and varies around it", () => {
  const sizes = [
    { bytes: 40_000, pixels: 300_000 },
    { bytes: 40_000, pixels: 2_000_000 },
    { bytes: 900_000, pixels: 2_000_000 },
  ];
  const exact = sizes.map((size) => 0.5 + (3 * size.pixels + 10 * size.bytes) / 1_000_000);
  const samples = [0.9, 1.1].flatMap((factor) =>
    sizes.map((size, index) => ({ size, ms: factor * exact[index]! })),
  );
  const { pictureMs, megapixelMs, megabyteMs, factors } = preparationProfile(samples);
  // Least squares of relative errors: of 0.9 and 1.1 the middle is 0.98.
  const expected = [0.49, 2.94, 9.8];
  for (const [index, weight] of [pictureMs, megapixelMs, megabyteMs].entries()) {
    assert.ok(Math.abs(weight / expected[index]! - 1) < 0.01, `${weight}`);
  }
  assert.ok(Math.abs(factors[0]! - 0.918) < 0.01 && Math.abs(factors.at(-1)! - 1.122) < 0.01);
});
