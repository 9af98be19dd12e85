import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test, { type TestContext } from "node:test";
import "./kafka-idle.ts";

test("kafkajs arms no timer while nothing is pending, and one while something is", (t) => {
  const queue = requestQueue(t);
  queue.checkPendingRequests();
  assert.equal(queue.throttleCheckTimeoutId, null);
  queue.pending.push({});
  queue.scheduleCheckPendingRequests();
  assert.notEqual(queue.throttleCheckTimeoutId, null);
});

test("a request without an answer times out, each at its own time, and then nothing is looked for", (t) => {
  const queue = requestQueue(t);
  const ended: string[] = [];
  queue.scheduleRequestTimeoutCheck();
  assert.equal(queue.requestTimeoutIntervalId, undefined);

  ask(queue, 1, { ended });
  t.mock.timers.tick(600);
  ask(queue, 2, { ended, requestTimeout: 1_500 });
  ask(queue, 3, { ended });
  queue.fulfillRequest({ correlationId: 3, size: 0, payload: null });
  t.mock.timers.tick(399);
  assert.deepEqual(ended, []);
  t.mock.timers.tick(1);
  assert.deepEqual(ended, ["1 timed out"]);
  t.mock.timers.tick(1_099);
  assert.deepEqual(ended, ["1 timed out"]);
  t.mock.timers.tick(1);
  assert.deepEqual(ended, ["1 timed out", "2 timed out"]);
  assert.equal(queue.requestTimeoutIntervalId, null);
});

test("a queue that was answered stops looking, and looks again with the next request", (t) => {
  const queue = requestQueue(t);
  const ended: string[] = [];
  ask(queue, 1, { ended });
  queue.fulfillRequest({ correlationId: 1, size: 0, payload: null });
  t.mock.timers.tick(1_000);
  assert.equal(queue.requestTimeoutIntervalId, null);
  ask(queue, 2, { ended });
  t.mock.timers.tick(1_000);
  assert.deepEqual(ended, ["2 timed out"]);
});

test("a connection that ends takes its timer along, and the next one looks again", (t) => {
  const queue = requestQueue(t);
  const ended: string[] = [];
  ask(queue, 1, { ended });
  queue.destroy();
  assert.equal(queue.requestTimeoutIntervalId, null);
  ask(queue, 2, { ended });
  t.mock.timers.tick(1_000);
  assert.deepEqual(ended, ["1 timed out", "2 timed out"]);
});

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

function ask(queue: ReturnType<typeof requestQueue>, correlationId: number, options: AskOptions): void {
  const { ended, requestTimeout } = options;
  const entry = {
    correlationId,
    resolve: () => {},
    reject: () => void ended.push(`${correlationId} timed out`),
  };
  queue.push({ entry, expectResponse: true, requestTimeout, sendRequest: () => {} });
}

type AskOptions = { ended: string[]; requestTimeout?: number };
