import assert from "node:assert/strict";
import test from "node:test";
import { cpuOf } from "./cpu.ts";

test("user and system time of a process and of its ended children, also with brackets in its name", () => {
  const stat =
    "4711 (odd) name) S 1 4700 4700 0 -1 4194304 100 0 0 0 250 50 30 20 20 0 11 0 8000 1000000 500 18446744073709551615";
  assert.deepEqual(cpuOf(stat), { group: 4700, seconds: 3.5 });
});
