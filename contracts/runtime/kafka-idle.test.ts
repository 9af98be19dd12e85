import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";
import "./kafka-idle.ts";

test("kafkajs arms no timer while nothing is pending, and one while something is", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const RequestQueue = createRequire(import.meta.url)("kafkajs/src/network/requestQueue");
  const queue = new RequestQueue({
    requestTimeout: 1_000,
    enforceRequestTimeout: false,
    clientId: "a",
    broker: "b",
    logger: { debug: () => {} },
  });
  queue.checkPendingRequests();
  assert.equal(queue.throttleCheckTimeoutId, null);
  queue.pending.push({});
  queue.scheduleCheckPendingRequests();
  assert.notEqual(queue.throttleCheckTimeoutId, null);
});
