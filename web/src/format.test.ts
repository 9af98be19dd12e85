import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, formatCount, formatDuration, formatMillions } from "./format.ts";

test("counts, sizes and lengths of time are in the units that people read", () => {
  assert.equal(formatCount(1_000), "1,000");
  assert.equal(formatMillions(40_000_000), "40 million");
  assert.deepEqual([10 * 1024 ** 2, 2 * 1024 ** 3, 1_000].map(formatBytes), [
    "10 MiB",
    "2 GiB",
    "1,000 bytes",
  ]);
  assert.deepEqual([50, 1_500, 30_000, 600_000].map(formatDuration), [
    "50 ms",
    "1.5 s",
    "30 s",
    "10 minutes",
  ]);
});
