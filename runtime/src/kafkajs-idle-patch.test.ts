import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test, { mock, type TestContext } from "node:test";
import { logSilence } from "./connection-silence.ts";
import { coreWaits } from "./starvation.ts";
import "./kafkajs-idle-patch.ts";

// The time of these tests is simulated.
let now = 0;
let waitedMs = 0;
mock.method(performance, "now", () => now);
mock.method(coreWaits, "mainThread", () => new Map([["main", waitedMs]]));

test("kafkajs arms a timer only while a request is pending", (t) => {
  const queue = requestQueue(t);
  queue.checkPendingRequests();
  assert.equal(queue.throttleCheckTimeoutId, null);
  queue.pending.push({});
  queue.scheduleCheckPendingRequests();
  assert.notEqual(queue.throttleCheckTimeoutId, null);
});

test("each request without a response times out at its own time, and then no timer is armed", async (t) => {
  const queue = requestQueue(t);
  const timedOut: string[] = [];
  queue.scheduleRequestTimeoutCheck();
  assert.equal(queue.requestTimeoutIntervalId, undefined);

  pushRequest(queue, 1, { timedOut });
  await pass(t, 600);
  pushRequest(queue, 2, { timedOut, requestTimeout: 1_500 });
  pushRequest(queue, 3, { timedOut });
  queue.fulfillRequest({ correlationId: 3, size: 0, payload: null });
  await pass(t, 399);
  assert.deepEqual(timedOut, []);
  await pass(t, 1);
  assert.deepEqual(timedOut, ["1 timed out"]);
  await pass(t, 1_099);
  assert.deepEqual(timedOut, ["1 timed out"]);
  await pass(t, 1);
  assert.deepEqual(timedOut, ["1 timed out", "2 timed out"]);
  assert.equal(queue.requestTimeoutIntervalId, null);
});

test("a response that waits to be read while the event loop is blocked is no timeout", async (t) => {
  const queue = requestQueue(t);
  const timedOut: string[] = [];
  pushRequest(queue, 1, { timedOut });
  now += 5_000;
  t.mock.timers.tick(5_000);
  setImmediate(() => queue.fulfillRequest({ correlationId: 1, size: 0, payload: null }));
  await pass(t, 1_000);
  assert.deepEqual(timedOut, []);
});

test("time in which the process had no core is not the broker's, and what times out is named in the log", async (t) => {
  const queue = requestQueue(t);
  const timedOut: string[] = [];
  const lines: unknown[] = [];
  using _log = logSilence({ warn: (fields) => void lines.push(fields) });
  pushRequest(queue, 1, { timedOut });
  await pass(t, 900);
  waitedMs += 700;
  await pass(t, 799);
  assert.deepEqual(timedOut, []);
  await pass(t, 1);
  assert.deepEqual(timedOut, ["1 timed out"]);
  assert.deepEqual(lines, [{ reason: "Kafka at b, a", isStarved: true }]);
});

test("the timer stops after the last response and starts again with the next request", async (t) => {
  const queue = requestQueue(t);
  const timedOut: string[] = [];
  pushRequest(queue, 1, { timedOut });
  queue.fulfillRequest({ correlationId: 1, size: 0, payload: null });
  await pass(t, 1_000);
  assert.equal(queue.requestTimeoutIntervalId, null);
  pushRequest(queue, 2, { timedOut });
  await pass(t, 1_000);
  assert.deepEqual(timedOut, ["2 timed out"]);
});

test("closing a connection stops its timer, and the next connection starts a new one", async (t) => {
  const queue = requestQueue(t);
  const timedOut: string[] = [];
  pushRequest(queue, 1, { timedOut });
  queue.destroy();
  assert.equal(queue.requestTimeoutIntervalId, null);
  pushRequest(queue, 2, { timedOut });
  await pass(t, 1_000);
  assert.deepEqual(timedOut, ["1 timed out", "2 timed out"]);
});

/** Each of these milliseconds is a turn of the event loop for the timers. */
async function pass(t: TestContext, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed++) {
    now++;
    t.mock.timers.tick(1);
  }
  await new Promise(setImmediate);
}

function requestQueue(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const RequestQueue = createRequire(import.meta.url)("kafkajs/src/network/requestQueue");
  return new RequestQueue({
    requestTimeout: 1_000,
    enforceRequestTimeout: true,
    clientId: "a",
    broker: "b",
    logger: { debug: () => {} },
  });
}

function pushRequest(
  queue: ReturnType<typeof requestQueue>,
  correlationId: number,
  options: PushOptions,
): void {
  const { timedOut, requestTimeout } = options;
  const entry = {
    correlationId,
    resolve: () => {},
    reject: () => void timedOut.push(`${correlationId} timed out`),
  };
  queue.push({ entry, expectResponse: true, requestTimeout, sendRequest: () => {} });
}

type PushOptions = { timedOut: string[]; requestTimeout?: number };
