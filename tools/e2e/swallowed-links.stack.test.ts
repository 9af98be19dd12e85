import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "@faceline/contracts/http/problem";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig, openAdmin } from "@faceline/runtime/kafka";
import { openConsumer } from "@faceline/runtime/kafka-consumer";
import { openProducer } from "@faceline/runtime/kafka-producer";
import { openLog } from "@faceline/runtime/log";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { type Link, startProxiedStack } from "./stack/swallowed-links.ts";

// Packets are swallowed until it is noticed.

test("links whose packets are swallowed", async (t) => {
  const { stack, links } = await startProxiedStack(t);
  const [portrait] = await portraits();
  const body = { img: portrait!.toString("base64") };
  const call = () => stack.postOnce("/represent", body, { "x-request-timeout-ms": "5000" });
  const readyz = async () => (await fetch(`${stack.address}/readyz`)).status;
  assert.equal((await stack.post("/represent", body)).status, 200);

  for (const [link, cause] of [
    ["ingress–volatile Redis", "redis-volatile"],
    ["ingress–Kafka", "kafka"],
  ] as [Link, string][]) {
    await t.test(`${link}: not ready and calls refused meanwhile, both served again after it`, async () => {
      links[link].swallow();
      await waitUntil("/readyz is red", async () => (await readyz()) === 503);
      await waitUntil(`calls are refused for ${cause}`, async () => causeOf(await call()) === cause);
      links[link].resume();
      await waitUntil("/readyz is green", async () => (await readyz()) === 200);
      await waitUntil("calls are served again", async () => (await call()).status === 200);
    });
  }

  const poolLinks: [Link, cause: string][] = [
    ["batcher–volatile Redis", "batcher"],
    // Once it may have lost its session, it publishes nothing.
    ["batcher–Kafka", "batcher"],
    // From outside, this worker is like one that has died.
    ["inference–volatile Redis", "model_unavailable"],
    ["inference–Kafka", "kafka"],
  ];
  for (const [link, cause] of poolLinks) {
    await t.test(`${link}: the pool has no workers meanwhile, and calls are refused`, async () => {
      links[link].swallow();
      await waitUntil(`calls are refused for ${cause}`, async () => causeOf(await call()) === cause);
      await waitUntil("/health is red", async () => (await fetch(`${stack.address}/health`)).status === 503);
      await waitUntil("/readyz is green", async () => (await readyz()) === 200);
      links[link].resume();
      await waitUntil("calls are served again", async () => (await call()).status === 200);
    });
  }

  await t.test("ingress–durable Redis: keys that were used before stay valid", async () => {
    links["ingress–durable Redis"].swallow();
    for (let calls = 0; calls < 20; calls++) {
      assert.equal((await stack.post("/represent", body)).status, 200);
    }
    links["ingress–durable Redis"].resume();
  });

  await t.test("a group that cannot be joined is one sentence, and leaves no connection open", async () => {
    const address = `127.0.0.1:${links["batcher–Kafka"].port}`;
    const config = readConfig(KafkaConfig, { ...process.env, KAFKA_BROKERS: address });
    links["batcher–Kafka"].swallow();
    const options = { topic: "t", group: "g", clientId: "test", log: openLog("test", "silent") };
    const ignored = { onAssignment() {}, onMessages() {}, onFatalError() {} };
    const sentence = { message: /^KAFKA_BROKERS: no broker answers there( \(\w+\))?; start one/ };
    await assert.rejects(openConsumer(config, { ...options, ...ignored }), sentence);
    await assert.rejects(openProducer(config, "test"), sentence);
    await assert.rejects(openAdmin(config), sentence);
    links["batcher–Kafka"].resume();
    await assert.rejects(
      openConsumer(config, { ...options, ...ignored }),
      /^Error: KAFKA_BROKERS: the broker refuses/,
    );
    await waitUntil("calls are served again", async () => (await call()).status === 200);
  });
});

/** What a refused call lacks; undefined if it was not refused. */
function causeOf({ status, body }: { status: number; body: unknown }): string | undefined {
  if (status !== 503) return undefined;
  const { error, dependency } = Problem.parse(body);
  return dependency ?? error;
}
