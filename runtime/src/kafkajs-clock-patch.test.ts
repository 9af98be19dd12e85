import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";
import "./kafkajs-clock-patch.ts";

const require = createRequire(import.meta.url);

test("a wall clock that is set forward times out no request in flight", (t) => {
  const clocks = mockClocks(t);
  const SocketRequest = require("kafkajs/src/network/requestQueue/socketRequest");
  const request = new SocketRequest({ entry: { correlationId: 1 }, requestTimeout: 1_000, send: () => {} });
  assert.equal(request.sentAt, null);
  request.send();
  clocks.wallMs += 2_000;
  clocks.monotonicMs += 5;
  assert.equal(Date.now() - request.sentAt, 5);
});

test("a wall clock that is set back by an hour stops no heartbeat", async (t) => {
  const clocks = mockClocks(t);
  const ConsumerGroup = require("kafkajs/src/consumer/consumerGroup");
  const group = new ConsumerGroup({
    logger: { namespace: () => ({}) },
    instrumentationEmitter: { emit() {} },
  });
  let heartbeats = 0;
  group.memberId = "member";
  group.coordinator = { heartbeat: async () => void heartbeats++ };
  clocks.wallMs -= 3_600_000;
  clocks.monotonicMs += 100;
  await group.heartbeat({ interval: 250 });
  assert.equal(heartbeats, 0);
  clocks.monotonicMs += 150;
  await group.heartbeat({ interval: 250 });
  assert.equal(heartbeats, 1);
});

function mockClocks(t: test.TestContext) {
  const clocks = { wallMs: 1_700_000_000_000, monotonicMs: 1_000 };
  t.mock.method(Date, "now", () => clocks.wallMs);
  t.mock.method(performance, "now", () => clocks.monotonicMs);
  return clocks;
}
