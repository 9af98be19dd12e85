import assert from "node:assert/strict";
import test from "node:test";
import { otherWork } from "./other-work.ts";
import { stolenOf } from "./processes.ts";

const before = { at: 100, busy: 1_000, stolen: 10, own: 50 };

test("other work is what the cores did beyond this program, and what the hypervisor took stands beside it", () => {
  // In 20 s the cores were busy for 30, of which 2 were stolen; 22 were ours.
  const after = { at: 120, busy: 1_030, stolen: 12, own: 72 };
  assert.deepEqual(otherWork(before, after), { othersCores: 0.3, stolenCores: 0.1 });
});

test("where ticks make our part greater than that of the machine, nothing is left for others", () => {
  const after = { at: 120, busy: 1_020, stolen: 10, own: 70.01 };
  assert.deepEqual(otherWork(before, after), { othersCores: 0, stolenCores: 0 });
});

test("the time that a hypervisor took is the eighth field", () => {
  assert.equal(stolenOf("cpu  100 200 300 9000 8000 10 20 30 40 50\ncpu0 1 1 1 1 1 1 1 1 1 1\n"), 0.3);
});
