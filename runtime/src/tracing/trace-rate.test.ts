import assert from "node:assert/strict";
import test from "node:test";
import { TraceRate } from "./trace-rate.ts";

test("a single call is traced, of a burst as many as fit a second, and then as many as each second allows", () => {
  const rate = new TraceRate(20);
  const taken = (from: number, calls: number, everyMs: number) =>
    Array.from({ length: calls }, (_, i) => rate.take(from + i * everyMs)).filter(Boolean).length;
  assert.equal(taken(0, 1, 0), 1);
  assert.equal(taken(5_000, 1_000, 0), 20);
  assert.equal(taken(10_000, 3_000, 1), 79, "20 that were saved, and 20 a second");
  assert.equal(taken(60_000, 1, 0), 1);
});
