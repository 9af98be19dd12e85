import assert from "node:assert/strict";
import test from "node:test";
import { answeredWithin, meanBatchOf, type OpenLoopCall, outcomeOf, summarise } from "./outcomes.ts";

const call = (status: OpenLoopCall["status"], tookMs: number, batch?: number): OpenLoopCall => ({
  dueMs: 0,
  sentAfterMs: 0,
  tookMs,
  status,
  ...(batch === undefined ? {} : { batch }),
});

test("an answer is in time up to the deadline and late after it", () => {
  assert.equal(outcomeOf(call(200, 300), 300), "in time");
  assert.equal(outcomeOf(call(200, 300.1), 300), "late");
});

test("an answer that says that the deadline has passed is late, and so is no answer", () => {
  assert.equal(outcomeOf(call(504, 290), 300), "late");
  assert.equal(outcomeOf(call("gave up", 3_000), 300), "late");
});

test("a refusal is a refusal even after the deadline; everything else has failed", () => {
  assert.deepEqual(
    [call(503, 2), call(429, 900), call(500, 2), call(400, 2), call("broken", 0)].map((each) =>
      outcomeOf(each, 300),
    ),
    ["refused", "refused", "failed", "failed", "failed"],
  );
});

test("shares are of all calls; latencies of answered calls include late ones", () => {
  const calls = [call(200, 100), call(200, 500), call(503, 3), call("gave up", 3_000)];
  assert.deepEqual(summarise(calls, 300), {
    calls: 4,
    inTime: 0.25,
    late: 0.5,
    refused: 0.25,
    failed: 0,
    answeredMs: { p50: 100, p99: 500, p999: 500 },
    refusedMs: { p50: 3, p99: 3, p999: 3 },
  });
});

test("the share that was answered within a time is of all calls, the refused ones included", () => {
  const calls = [call(200, 250), call(503, 3), call(200, 100), call("gave up", 3_000)];
  assert.deepEqual(answeredWithin(calls, [0, 99, 100, 250, 5_000]), [0, 0, 0.25, 0.5, 0.5]);
});

test("without calls there are no quantiles and no division by zero", () => {
  const { inTime, answeredMs } = summarise([], 300);
  assert.deepEqual(
    { inTime, answeredMs, mean: meanBatchOf([]) },
    { inTime: 0, answeredMs: null, mean: null },
  );
});

test("the mean batch size is over batches, not calls: one of 4 and one of 1 make 2.5", () => {
  const calls = [call(200, 1, 4), call(200, 1, 4), call(200, 1, 4), call(200, 1, 4), call(200, 1, 1)];
  assert.equal(meanBatchOf(calls), 2.5);
});
