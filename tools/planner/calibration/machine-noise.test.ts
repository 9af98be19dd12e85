import assert from "node:assert/strict";
import test from "node:test";
import { noiseSentence, otherWork, stolenMsIn } from "./machine-noise.ts";

test("a tenth of a core does not count as noise", () => {
  assert.equal(noiseSentence({ othersCores: 0.06, stolenCores: 0.04 }), undefined);
});

test("what takes the cores is named, by its larger part", () => {
  assert.equal(
    noiseSentence({ othersCores: 0.31, stolenCores: 0.02 }),
    "other programs use 0.31 cores, more than 0.1",
  );
  assert.equal(
    noiseSentence({ othersCores: 0.05, stolenCores: 0.4 }),
    "the hypervisor gives 0.40 cores to other machines, more than 0.1",
  );
});

test("stolen time is read from /proc/stat", () => {
  const stat = "cpu  100 0 50 900 10 0 5 12 0 0\ncpu0 50 0 25 450 5 0 2 6 0 0\n";
  assert.equal(stolenMsIn(stat), 120);
  // Kernels before 2.6.11 have no such number.
  assert.equal(stolenMsIn("cpu  100 0 50 900\n"), 0);
});

test("the work of this process is not that of others", () => {
  const before = { at: 1_000, busyMs: 50_000, ownMs: 300, stolenMs: 70 };
  const after = { at: 3_000, busyMs: 53_000, ownMs: 1_900, stolenMs: 270 };
  assert.deepEqual(otherWork(before, after), { othersCores: 0.7, stolenCores: 0.1 });
  // The clocks of the two are read one after the other.
  const early = { ...after, ownMs: 4_000 };
  assert.equal(otherWork(before, early).othersCores, 0);
});
