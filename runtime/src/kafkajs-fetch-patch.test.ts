import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";
import { type ConsumerConfig, Kafka } from "kafkajs";
import { readConfig } from "./config.ts";
import { KafkaConfig } from "./kafka.ts";
import { type ConsumerOptions, openConsumer } from "./kafka-consumer.ts";

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

test("a broker may pause for half a second before it is late with the fetch of an idle member", async (t) => {
  const config = readConfig(KafkaConfig, {});
  let waitMs = Number.NaN;
  t.mock.method(Kafka.prototype, "consumer", ({ maxWaitTimeInMs = 0 }: ConsumerConfig) => {
    waitMs = maxWaitTimeInMs;
    throw new Error("seen");
  });
  await assert.rejects(openConsumer(config, { clientId: "test" } as ConsumerOptions), /seen/);
  assert.ok(config.KAFKA_REQUEST_MS - waitMs >= 500, `${waitMs} ms`);
});
