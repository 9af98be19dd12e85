import assert from "node:assert/strict";
import test from "node:test";
import { Starved, slowdown, starvationOf, starvedIn, wasStarved } from "./starvation.ts";

test("a process was starved that could not run for a quarter of a wait, and is as much slower", () => {
  for (const [elapsedMs, unableMs, starved, slower] of [
    [1_000, 0, false, 1],
    [1_000, 249, false, 1.33],
    [1_000, 250, true, 1.33],
    [10_000, 9_000, true, 10],
    // Then everything may take for ever, which no client waits for.
    [10_000, 9_990, true, 30],
    [10_000, 10_000, true, 30],
  ] as const) {
    assert.equal(wasStarved({ elapsedMs, unableMs }), starved, `${unableMs} of ${elapsedMs} ms`);
    assert.equal(Number(slowdown({ elapsedMs, unableMs }).toFixed(2)), slower);
  }
});

test("an error leads to the wait in which the process was starved, however it was wrapped", () => {
  const spent = { elapsedMs: 1_000, unableMs: 800 };
  const late = new Error("late", { cause: starvedIn(spent) });
  assert.deepEqual(starvationOf(new Error("refused", { cause: late })), spent);
  assert.deepEqual(starvationOf(new Starved(spent)), spent);
  const { cause } = new Error("late", { cause: starvedIn({ elapsedMs: 1_000, unableMs: 10 }) });
  for (const error of [undefined, "text", new Error("silent"), new Error("late", { cause })]) {
    assert.equal(starvationOf(error), undefined);
  }
  const circle = new Error("circle");
  circle.cause = circle;
  assert.equal(starvationOf(circle), undefined);
});
