import assert from "node:assert/strict";
import test from "node:test";
import { processMemoryIsReadable } from "../../testing/process-memory.ts";
import { processes } from "./cpu.ts";
import { residentMib } from "./memory.ts";

test("resident memory is that of all processes of a group, and a group that has ended has none", {
  skip: !processMemoryIsReadable,
}, () => {
  const { group } = processes().find(({ pid }) => pid === process.pid)!;
  const own = process.memoryUsage().rss / 2 ** 20;
  const { here = 0, gone } = residentMib({ here: group, gone: 2 ** 30 })!;
  assert.ok(here > own / 2, `${here} MiB beside ${own}`);
  assert.equal(gone, undefined);
});
