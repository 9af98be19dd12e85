import assert from "node:assert/strict";
import test from "node:test";
import { linearScale, ticks } from "./scale.ts";

test("ticks are round, lie within the range, and are about as many as wanted", () => {
  assert.deepEqual(ticks(0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(0, 600, 3), [0, 200, 400, 600]);
  assert.deepEqual(ticks(-3, 7), [-2, 0, 2, 4, 6]);
  assert.deepEqual(ticks(0, 0.35, 3), [0, 0.2]);
  assert.deepEqual(ticks(9_990, 10_010, 4), [9_990, 9_995, 10_000, 10_005, 10_010]);
});

test("an axis without length, or without an end, is refused", () => {
  assert.throws(() => ticks(1, 1), /An axis cannot go from 1 to 1/);
  assert.throws(() => ticks(0, Number.NaN), RangeError);
});

test("a scale maps both ends, and may run downwards as pixels of a vertical axis do", () => {
  const y = linearScale([0, 100], [220, 20]);
  assert.deepEqual([y(0), y(50), y(100)], [220, 120, 20]);
});
