import assert from "node:assert/strict";
import test from "node:test";
import { vectorInstructions } from "./results.ts";

test("the vector instruction sets of a processor are read, and none of its other flags", () => {
  const cpuinfo =
    "processor\t: 0\nflags\t\t: fpu sse2 avx2 avx512f avx512_bf16 avx512_vnni avx_vnni amx_int8\nbugs\t\t:\n";
  assert.deepEqual(vectorInstructions(cpuinfo), ["avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8"]);
  assert.deepEqual(vectorInstructions(""), []);
});
