import assert from "node:assert/strict";
import test from "node:test";
import { residentOf } from "./memory.ts";

test("what a process has in memory, in MiB, and nothing of what it once had", () => {
  assert.equal(residentOf("Name:\tnode\nVmHWM:\t  999999 kB\nVmRSS:\t  204800 kB\nRssAnon:\t 1 kB\n"), 200);
  assert.equal(residentOf("Name:\tnode\nState:\tZ (zombie)\n"), 0);
});
