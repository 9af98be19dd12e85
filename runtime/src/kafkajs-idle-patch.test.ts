import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test, { mock, type TestContext } from "node:test";
import { logSilence } from "./connection-silence.ts";
import { coreWaits } from "./starvation.ts";
import "./kafkajs-idle-patch.ts";

// The time of these tests is simulated.
mock.method(coreWaits, "mainThread", () => new Map());

test("kafkajs arms a timer only while a request is pending", (t) => {
  const queue = requestQueue(t);
  queue.checkPendingRequests();
  assert.equal(queue.throttleCheckTimeoutId, null);
  queue.pending.push({});
  queue.scheduleCheckPendingRequests();
  assert.notEqual(queue.throttleCheckTimeoutId, null);
});

test("each request without a response times out at its own time, and is named in the log", async (t) => {
  const queue = requestQueue(t);
  const timedOut: string[] = [];
  const lines: unknown[] = [];
  using _log = logSilence({ info: (fields) => void lines.push(fields) });
  queue.scheduleRequestTimeoutCheck();
  pushRequest(queue, 1, { timedOut });
  await pass(t, 600);
  pushRequest(queue, 2, { timedOut, requestTimeout: 1_500 });
  pushRequest(queue, 3, { timedOut });
  pushRequest(queue, 4, { timedOut });
  queue.fulfillRequest({ correlationId: 3, size: 0, payload: null });
  await pass(t, 399);
  assert.deepEqual(timedOut, []);
  await pass(t, 1);
  assert.deepEqual(timedOut, ["1 timed out"]);
  assert.deepEqual(lines, [{ reason: "Kafka at b, a", isStarved: false }]);
  queue.rejectAll(new Error("closed"));
  assert.deepEqual(timedOut, ["1 timed out", "2 closed", "4 closed"]);
  await pass(t, 2_000);
  assert.equal(timedOut.length, 3);
});

/** Each of these milliseconds is a turn of the event loop for the timers. */
async function pass(t: TestContext, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed++) t.mock.timers.tick(1);
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
    reject: ({ name, message }: Error) =>
      void timedOut.push(`${correlationId} ${name === "KafkaJSRequestTimeoutError" ? "timed out" : message}`),
  };
  queue.push({ entry, expectResponse: true, requestTimeout, sendRequest: () => {} });
}

type PushOptions = { timedOut: string[]; requestTimeout?: number };
