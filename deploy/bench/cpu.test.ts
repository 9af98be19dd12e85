import assert from "node:assert/strict";
import test from "node:test";
import { busyOf, cpuOf } from "./cpu.ts";

test("user and system time of a process and of its ended children, also with brackets in its name", () => {
  const stat =
    "4711 (odd) name) S 1 4700 4700 0 -1 4194304 100 0 0 0 250 50 30 20 20 0 11 0 8000 1000000 500 18446744073709551615";
  assert.deepEqual(cpuOf(stat), { group: 4700, seconds: 3.5 });
});

test("a machine is busy with programs, interrupts and what its hypervisor took, not with waiting", () => {
  const stat = "cpu  100 200 300 9000 8000 10 20 30 40 50\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
  assert.equal(busyOf(stat), 6.6);
});
