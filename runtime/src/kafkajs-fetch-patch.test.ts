import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";
import "./kafkajs-fetch-patch.ts";

const { prototype } = createRequire(import.meta.url)("kafkajs/src/consumer/consumerGroup");

test("heartbeats go on while a fetch waits, and it ends with its connection when the group changes", async () => {
  const steps: string[] = [];
  const socket = { destroy: () => void steps.push("closed") };
  const group = Object.assign(Object.create(prototype), {
    cluster: {
      refreshMetadataIfNecessary: () => new Promise(() => {}),
      brokerPool: { brokers: { 1: { connectionPool: { pool: [{}, { socket }] } } } },
    },
    async heartbeat() {
      steps.push("heartbeat");
      if (steps.length === 2) throw new Error("the group is rebalancing");
    },
  });
  await assert.rejects(group.fetch(1), /is rebalancing/);
  assert.deepEqual(steps, ["heartbeat", "heartbeat", "closed"]);
});
