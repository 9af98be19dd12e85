import assert from "node:assert/strict";
import { test } from "node:test";
import { bestEffort, bestEffortFailures } from "./best-effort.ts";

test("a failure is counted under the name of its work, and a success is not", async () => {
  bestEffort("report_publish", Promise.reject(new Error("Redis is unreachable")));
  bestEffort("report_publish", Promise.reject(new Error("Redis is unreachable")));
  bestEffort("image_removal", Promise.resolve());
  await new Promise(setImmediate);
  const failures = [...bestEffortFailures()].filter(([, count]) => count > 0);
  assert.deepEqual(failures, [["report_publish", 2]]);
});
