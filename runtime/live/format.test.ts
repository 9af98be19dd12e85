import assert from "node:assert/strict";
import test from "node:test";
import { bytes, counted, duration, number, perSecond } from "./format.ts";

test("numbers have their units, and no more digits than a reader can use", () => {
  assert.deepEqual([0, 0.44, 9.96, 38.4, 1_640, 130_000, 8e6].map(duration), [
    "0 ms",
    "0.4 ms",
    "10 ms",
    "38 ms",
    "1.6 s",
    "2 min",
    "2 h",
  ]);
  assert.deepEqual([0.05, 3.14, 12.7, 12_345].map(number), ["0.1", "3.1", "13", "12,345"]);
  assert.equal(perSecond(25), "2.5 per second");
  assert.deepEqual(
    [counted(1, "batch"), counted(2, "batch"), counted(0, "task")],
    ["1 batch", "2 batches", "0 tasks"],
  );
  assert.deepEqual([bytes(0), bytes(1.5 * 2 ** 20), bytes(3 * 2 ** 30)], ["0 MiB", "1.5 MiB", "3 GiB"]);
});
