import assert from "node:assert/strict";
import test from "node:test";
import { workOfCalls } from "../profile/load.ts";
import { newProfile, newTrace } from "../testing/fixtures.ts";
import type { Trace } from "../trace/trace.ts";
import { busiestWindows, planScopes } from "./windows.ts";

test("the windows hold the busiest stretch first, overlap nowhere, and have the calls that are allowed", () => {
  const trace = newTrace({ shape: "bursts", perSecond: 100, seconds: 600, factor: 8 });
  const work = workOfCalls(trace, newProfile());
  const windows = busiestWindows(trace, work, 10_000);
  const learning = 1_000;
  const calls = windows.reduce((sum, { from, until }) => sum + until - from, -learning);
  assert.ok(windows.length > 1 && calls <= 10_000, `${windows.length} windows, ${calls} calls`);
  const inOrder = windows.toSorted((a, b) => a.from - b.from);
  for (const [index, { from, countedFrom, until }] of inOrder.entries()) {
    assert.ok(from <= countedFrom && countedFrom < until);
    assert.ok(index === 0 || inOrder[index - 1]!.until <= countedFrom);
  }
  assert.ok(busiestSecond(trace, windows[0]!) >= 0.8 * busiestSecond(trace, { from: 0, until: trace.calls }));
});

test("a trace that is shorter than a window is one window", () => {
  const trace = newTrace({ seconds: 5 });
  const windows = busiestWindows(trace, workOfCalls(trace, newProfile()), 10);
  assert.deepEqual([windows.length, windows[0]!.from, windows[0]!.until], [1, 0, trace.calls]);
});

/** Most calls in a second that begins with one of them. */
function busiestSecond(
  trace: ReturnType<typeof newTrace>,
  { from, until }: { from: number; until: number },
): number {
  const { atMs } = trace.columns;
  let most = 0;
  for (let call = from; call < until; call++) {
    most = Math.max(most, trace.indexAt(atMs[call]! + 1_000) - call);
  }
  return most;
}

test("a trace that is as short as windows may be is tried as a whole", () => {
  const [short, long] = [20, 300].map((seconds) => newTrace({ perSecond: 50, seconds, shape: "bursts" }));
  const calls = (trace: Trace) =>
    planScopes(trace, workOfCalls(trace, newProfile())).windows.reduce(
      (sum, each) => sum + each.until - each.from,
      0,
    );
  assert.equal(calls(short!), short!.calls);
  assert.ok(calls(long!) < long!.calls);
});
