import assert from "node:assert/strict";
import test from "node:test";
import type { RunSample } from "./lane-profile.ts";
import { atUsualPace, machinePace } from "./machine-pace.ts";

/** Runs of 10 ms a picture alone and beside one other, all of a round at its pace. */
const samplesAt = (paces: readonly number[], cpuShare = 1): RunSample[] =>
  paces.flatMap((pace, round) =>
    [1, 4].flatMap((size) =>
      [0, 1].map((besides) => {
        const ms = 10 * size * pace;
        return { round, size, besides, ms, cpuMs: cpuShare * ms };
      }),
    ),
  );

test("the pace is that of each round against the mean, in the order of the rounds of all lanes", () => {
  const pace = machinePace([samplesAt([1, 1, 2, 2, 1.5]), samplesAt([1, 3])]);
  const expected = [1, 1, 2, 2, 1.5].map((each) => each / 1.5).concat([0.5, 1.5]);
  assert.ok(pace !== undefined);
  assert.deepEqual(
    pace.factors.map((each) => each.toFixed(6)),
    expected.map((each) => each.toFixed(6)),
  );
  // A round at the usual pace: 50 ms alone, and as long beside another.
  assert.ok(Math.abs(pace.everyMs - (5 * 1.5 + 2 * 2) * (75 / 7)) < 1e-6, `${pace.everyMs}`);
});

test("at the usual pace all rounds are alike", () => {
  const times = atUsualPace(samplesAt([1, 1, 2, 2, 1.5])).map(({ size, ms }) => (ms / size).toFixed(6));
  assert.deepEqual([...new Set(times)], ["15.000000"]);
});

test("runs on an accelerator do not follow the cores", () => {
  const samples = samplesAt([1, 2], 0.1);
  assert.equal(machinePace([samples]), undefined);
  assert.deepEqual(atUsualPace(samples), samples);
});
