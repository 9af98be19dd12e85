import assert from "node:assert/strict";
import test from "node:test";
import { readConfig } from "../config.ts";
import { LinkDown } from "../kafka-producer-link.ts";
import { openLog } from "../log.ts";
import { OtlpConfig } from "../otlp-config.ts";
import { kafkaAttributes, openKafkaMetrics } from "./kafka-metrics.ts";
import { metricsOff } from "./metrics.ts";
import { openMetrics } from "./open-metrics.ts";

const brokers = { KAFKA_BROKERS: "kafka-1:9092, kafka-2:9093" };

test("messages and requests of Kafka are recorded by topic, and why they failed", async () => {
  const log = openLog("test", "silent");
  const options = { config: readConfig(OtlpConfig, {}), page: true, service: "batcher", id: "1", log };
  await using metrics = await openMetrics(options);
  const { sent, delivered, committed } = openKafkaMetrics(metrics, brokers)!;
  const reply = Object.assign(new Error("no"), { name: "KafkaJSProtocolError", type: "NOT_LEADER" });
  sent("batches", 3, 20);
  sent("batches", 1, 20, new LinkDown("it was reset"));
  sent("batches", 1, 20, new LinkDown("Kafka did not answer in time"));
  sent("batches", 1, 20, new Error("refused", { cause: reply }));
  sent("batches", 1, 20, new Error("odd"));
  delivered("tasks", "batchers", 5);
  committed("tasks", "batchers", 4);
  const page = await metrics.page();
  const server = `messaging_system="kafka",server_address="kafka-1",server_port="9092"`;
  const sends = `${server},messaging_operation_name="send",messaging_destination_name="batches"`;
  for (const [type, messages] of [
    ["", 3],
    ["closed", 1],
    ["timeout", 1],
    ["NOT_LEADER", 1],
    ["_OTHER", 1],
  ]) {
    const error = type === "" ? "" : `,error_type="${type}"`;
    assert.ok(page.includes(`messaging_client_sent_messages_total{${sends}${error}} ${messages}\n`), error);
    const labels = `${sends}${error},messaging_operation_type="send"`;
    assert.ok(page.includes(`messaging_client_operation_duration_seconds_count{${labels}} 1\n`), labels);
  }
  const group = `messaging_destination_name="tasks",messaging_consumer_group_name="batchers"`;
  const polled = `${server},messaging_operation_name="poll",${group}`;
  assert.ok(page.includes(`messaging_client_consumed_messages_total{${polled}} 5\n`));
  const settled = `${server},messaging_operation_name="commit",messaging_operation_type="settle",${group}`;
  assert.ok(page.includes(`messaging_client_operation_duration_seconds_sum{${settled}} 0.004\n`));
});

test("a cluster is known by its first broker; without metrics nothing is recorded", () => {
  const cluster = (KAFKA_BROKERS: string) => Object.values(kafkaAttributes({ KAFKA_BROKERS })).slice(1);
  assert.deepEqual(cluster(brokers.KAFKA_BROKERS), ["kafka-1", 9_092]);
  assert.deepEqual(cluster(" [::1]:9092"), ["[::1]", 9_092]);
  assert.deepEqual(cluster("no port"), ["no port", 0], "a wrong setting does not throw here");
  assert.equal(openKafkaMetrics(metricsOff, brokers), undefined);
});
