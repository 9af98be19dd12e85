import assert from "node:assert/strict";
import { test } from "node:test";
import { nextRestart } from "./backoff.ts";

const limits = { firstMs: 250, maxMs: 1_000, forgetMs: 30_000 };

test("the wait doubles with each failure, up to the maximum", () => {
  assert.deepEqual(nextRestart(0, 10, limits), { failures: 1, afterMs: 250 });
  assert.deepEqual(nextRestart(1, 10, limits), { failures: 2, afterMs: 500 });
  assert.deepEqual(nextRestart(2, 10, limits), { failures: 3, afterMs: 1_000 });
  assert.deepEqual(nextRestart(3, 10, limits), { failures: 4, afterMs: 1_000 });
});

test("a run of forgetMs resets the count of failures", () => {
  assert.deepEqual(nextRestart(9, 29_999, limits), { failures: 10, afterMs: 1_000 });
  assert.deepEqual(nextRestart(9, 30_000, limits), { failures: 1, afterMs: 250 });
});

test("thousands of failures do not overflow the wait", () => {
  assert.equal(nextRestart(5_000, 0, limits).afterMs, 1_000);
});
