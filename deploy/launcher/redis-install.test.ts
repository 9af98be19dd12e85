import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecent } from "./redis-install.ts";

test("Redis 6.2 and later are recent enough", () => {
  assert.deepEqual(["5.0.14", "6.0.16", "6.2.6", "7.0.15", "8.0.1"].map(isRecent), [
    false,
    false,
    true,
    true,
    true,
  ]);
});
