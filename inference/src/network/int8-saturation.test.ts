import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { saturatesInt8 } from "./int8-saturation.ts";

// DECISIONS.md says how to see the other result on a CPU with VNNI.
const flags = await readFile("/proc/cpuinfo", "utf8").catch(() => "");
const vnni = /\b(avx512_vnni|avx_vnni)\b/.test(flags);

test("int8 sums do not saturate on a CPU with VNNI", { skip: !vnni && "this CPU has no VNNI" }, async () => {
  assert.equal(await saturatesInt8({ executionProvider: "cpu", intraOpThreads: 1 }), false);
});
