import assert from "node:assert/strict";
import test from "node:test";
import { wideFlags } from "./results.ts";

test("of a processor's flags those are named with which networks are run", () => {
  const cpuinfo =
    "processor\t: 0\nflags\t\t: fpu sse2 avx2 avx512f avx512_bf16 avx512_vnni avx_vnni amx_int8\nbugs\t\t:\n";
  assert.deepEqual(wideFlags(cpuinfo), ["avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8"]);
  assert.deepEqual(wideFlags(""), []);
});
