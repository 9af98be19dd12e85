import assert from "node:assert/strict";
import test from "node:test";
import { Latest } from "./latest.ts";

test("the latest values stay, the oldest first", () => {
  const latest = new Latest<number>(3);
  assert.deepEqual(latest.values(), []);
  for (const value of [1, 2]) latest.add(value);
  assert.deepEqual(latest.values(), [1, 2]);
  for (const value of [3, 4, 5]) latest.add(value);
  assert.deepEqual(latest.values(), [3, 4, 5]);
});
