import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { type OpenLoopCall, openLoop, outcomeOf, poisson, summarise } from "./open-loop.ts";

const traffic = { seed: 3, perSecond: 200, forMs: 300 };
const due = poisson(traffic);
/** Enough calls for statistics. */
const minutes = { seed: 7, perSecond: 300, forMs: 100_000 };

test("calls are sent when they are due, whether or not any was answered", async (t) => {
  // No call is answered before all were received: a client that waits for an answer would wait forever.
  const waiting: (() => void)[] = [];
  const target = await serve(t, (_request, response) => {
    waiting.push(() => response.end("{}"));
    if (waiting.length === due.length) for (const answer of waiting) answer();
  });
  const calls = await openLoop({ target, traffic, warmUpMs: 0, giveUpMs: 30_000 }, () => {});
  assert.deepEqual(
    calls.map(({ status }) => status),
    due.map(() => 200),
  );
  // The first waited until the last was sent, counted from when the first was due.
  const first = calls.find(({ dueMs }) => dueMs === due[0])!;
  assert.ok(first.tookMs >= due.at(-1)! - due[0]!);
});

test("a call without an answer is given up, and the code of an error in an answer is read", async (t) => {
  const target = await serve(t, (request, response) => {
    request.resume();
    const { answer } = request.headers;
    if (typeof answer === "string") response.end(answer);
  });
  const plan = { traffic, warmUpMs: 0, giveUpMs: 50 } as const;
  const silent = await openLoop({ ...plan, target }, () => {});
  assert.deepEqual(new Set(silent.map(({ status }) => status)), new Set(["gave up"]));
  const answered = async (answer: string) =>
    openLoop({ ...plan, target: { ...target, headers: { answer } }, giveUpMs: 30_000 }, () => {});
  const errors = await answered('{"error":"queue_full","detail":""}');
  assert.deepEqual(new Set(errors.map(({ error }) => error)), new Set(["queue_full"]));
});

test("calls of the warm-up are sent and left out, and its end is reported once", async (t) => {
  let received = 0;
  let warmUpEnds = 0;
  const target = await serve(t, (_request, response) => {
    received++;
    response.end("{}");
  });
  const plan = { target, traffic, warmUpMs: 150, giveUpMs: 30_000 } as const;
  const calls = await openLoop(plan, () => warmUpEnds++);
  assert.equal(received, due.length);
  assert.deepEqual(
    calls.map(({ dueMs }) => dueMs).toSorted((a, b) => a - b),
    due.filter((at) => at >= 150),
  );
  assert.equal(warmUpEnds, 1);
});

test("the same seed gives the same instants, another seed gives others", () => {
  assert.deepEqual(poisson(minutes), poisson(minutes));
  assert.notDeepEqual(poisson(minutes), poisson({ ...minutes, seed: 8 }));
});

test("instants have the rate, lie within the time, and ascend", () => {
  const instants = poisson(minutes);
  // Four deviations of a Poisson count of 30,000.
  assert.ok(Math.abs(instants.length - 30_000) < 4 * Math.sqrt(30_000), `${instants.length}`);
  assert.ok(instants.every((at, index) => at > (instants[index - 1] ?? -1) && at < minutes.forMs));
});

test("gaps are exponential: their mean equals their standard deviation, and most are shorter than the mean", () => {
  const instants = poisson(minutes);
  const gaps = instants.slice(1).map((at, index) => at - instants[index]!);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  assert.ok(Math.abs(Math.sqrt(variance) / mean - 1) < 0.03);
  const shorter = gaps.filter((gap) => gap < mean).length / gaps.length;
  assert.ok(Math.abs(shorter - (1 - Math.exp(-1))) < 0.01, `${shorter}`);
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

test("without calls there are no quantiles and no division by zero", () => {
  const { inTime, answeredMs } = summarise([], 300);
  assert.deepEqual({ inTime, answeredMs }, { inTime: 0, answeredMs: null });
});

const call = (status: OpenLoopCall["status"], tookMs: number): OpenLoopCall => ({
  dueMs: 0,
  sentAfterMs: 0,
  tookMs,
  status,
});

async function serve(t: TestContext, listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, headers: {}, bodies: ["{}"] };
}
