import assert from "node:assert/strict";
import test from "node:test";
import { newTrace } from "../testing/fixtures.ts";
import { repeatedTrace, wholeTrace } from "./trace-part.ts";

test("a short trace is repeated until enough calls count, after once that does not count", () => {
  const trace = newTrace({ seconds: 5 });
  const { calls } = trace;
  const [learning, ...counted] = repeatedTrace(trace, 3 * calls - 1);
  assert.deepEqual(learning, { from: 0, until: calls, countedFrom: calls });
  assert.deepEqual(counted, [wholeTrace(trace), wholeTrace(trace), wholeTrace(trace)]);
});

test("a long trace counts once, and one of a few calls fifty times at most", () => {
  const trace = newTrace({ seconds: 5 });
  assert.equal(repeatedTrace(trace, 1).length, 2);
  assert.equal(repeatedTrace(trace, 1_000 * trace.calls).length, 51);
});
