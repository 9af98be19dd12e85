import assert from "node:assert/strict";
import { test } from "node:test";
import { restart } from "./backoff.ts";

const limits = { firstMs: 250, maxMs: 1_000, forgetMs: 30_000 };

test("a process that keeps dying is started again more and more rarely", () => {
  assert.deepEqual(restart(0, 10, limits), { failures: 1, afterMs: 250 });
  assert.deepEqual(restart(1, 10, limits), { failures: 2, afterMs: 500 });
  assert.deepEqual(restart(2, 10, limits), { failures: 3, afterMs: 1_000 });
  assert.deepEqual(restart(3, 10, limits), { failures: 4, afterMs: 1_000 });
});

test("a process that ran for a while starts afresh", () => {
  assert.deepEqual(restart(9, 29_999, limits), { failures: 10, afterMs: 1_000 });
  assert.deepEqual(restart(9, 30_000, limits), { failures: 1, afterMs: 250 });
});

test("a thousand deaths do not overflow the wait", () => {
  assert.equal(restart(5_000, 0, limits).afterMs, 1_000);
});
