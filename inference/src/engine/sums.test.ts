import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { clipsSums } from "./sums.ts";

// DECISIONS.md tells how to see the other answer on a CPU with VNNI.
const flags = await readFile("/proc/cpuinfo", "utf8").catch(() => "");
const vnni = /\b(avx512_vnni|avx_vnni)\b/.test(flags);

test("a CPU with VNNI clips no sums", { skip: !vnni && "this CPU has no VNNI" }, async () => {
  assert.equal(await clipsSums({ executionProvider: "cpu", intraOpThreads: 1 }), false);
});
