import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { saturatesInt8 } from "./int8-saturation.ts";

// On a CPU with VNNI the other result is seen under `qemu-x86_64 -cpu Haswell`, which has AVX2 alone.
const flags = await readFile("/proc/cpuinfo", "utf8").catch(() => "");
const vnni = /\b(avx512_vnni|avx_vnni)\b/.test(flags);

test("int8 sums do not saturate on a CPU with VNNI", { skip: !vnni && "this CPU has no VNNI" }, async () => {
  assert.equal(await saturatesInt8({ executionProvider: "cpu", intraOpThreads: 1 }), false);
});
