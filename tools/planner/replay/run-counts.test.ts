import assert from "node:assert/strict";
import test from "node:test";
import { LaneId } from "@faceline/contracts/wire/ids";
import { meanRunMs, type RunCounts, runPace } from "./run-counts.ts";

const [ssd, tiny] = [LaneId.parse("Dlib/ssd"), LaneId.parse("Dlib/tiny")];

/** Ten runs that waited for a core as long as they computed. */
const runsOf = (lane: LaneId, size: number, cpuMs: number): RunCounts => ({
  lane,
  size,
  count: 10,
  ms: 20 * cpuMs,
  cpuMs: 10 * cpuMs,
});

test("the pace is the CPU time of runs by that of as many predicted ones, of each lane and size", () => {
  const predicted = { [ssd]: { 2: 10, 4: 20 }, [tiny]: { 2: 30 } };
  assert.equal(runPace([runsOf(ssd, 2, 11), runsOf(ssd, 4, 22), runsOf(tiny, 2, 33)], predicted), 1.1);
  assert.equal(runPace([runsOf(ssd, 2, 9), runsOf(ssd, 8, 1_000)], predicted), 0.9);
});

test("there is no pace where the service does not say the CPU time, or the engine computes elsewhere", () => {
  const predicted = { [ssd]: { 2: 10 } };
  const run = runsOf(ssd, 2, 11);
  assert.equal(runPace([{ ...run, cpuMs: undefined }], predicted), undefined);
  assert.equal(runPace([{ ...run, cpuMs: 0.01 * run.ms }], predicted), undefined);
  assert.equal(runPace([], predicted), undefined);
});

test("the mean time of a run is that over all lanes", () => {
  assert.deepEqual(meanRunMs([runsOf(ssd, 2, 10), runsOf(tiny, 2, 20), runsOf(ssd, 4, 40)]), {
    2: 30,
    4: 80,
  });
});
