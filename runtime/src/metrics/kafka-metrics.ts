import { causes } from "../kafka.ts";
import type { ConsumerObserver } from "../kafka-consumer.ts";
import type { SendObserver } from "../kafka-producer.ts";
import { LinkDown } from "../kafka-producer-link.ts";
import type { Metrics } from "./metrics.ts";

/** Returns how requests to Kafka are recorded; undefined if nobody reads metrics. */
export function openKafkaMetrics(metrics: Metrics, config: Brokers): KafkaMetrics | undefined {
  if (!metrics.on) return undefined;
  const broker = kafkaAttributes(config);
  return {
    sent(topic, messages, durationMs, error) {
      const attributes = {
        ...broker,
        "messaging.operation.name": "send",
        "messaging.destination.name": topic,
        ...(error === undefined ? {} : { "error.type": errorTypeOf(error) }),
      };
      metrics.add("messaging.client.sent.messages", messages, attributes);
      const type = { "messaging.operation.type": "send" };
      metrics.record("messaging.client.operation.duration", durationMs / 1_000, { ...attributes, ...type });
    },
    delivered: (topic, group, messages) =>
      metrics.add("messaging.client.consumed.messages", messages, {
        ...broker,
        "messaging.operation.name": "poll",
        "messaging.destination.name": topic,
        "messaging.consumer.group.name": group,
      }),
    committed: (topic, group, durationMs, error) =>
      metrics.record("messaging.client.operation.duration", durationMs / 1_000, {
        ...broker,
        "messaging.operation.name": "commit",
        "messaging.operation.type": "settle",
        "messaging.destination.name": topic,
        "messaging.consumer.group.name": group,
        ...(error === undefined ? {} : { "error.type": errorTypeOf(error) }),
      }),
    processed: (topic, group, durationMs, errorType) =>
      metrics.record("messaging.process.duration", durationMs / 1_000, {
        ...broker,
        "messaging.operation.name": "process",
        "messaging.destination.name": topic,
        "messaging.consumer.group.name": group,
        ...(errorType === undefined ? {} : { "error.type": errorType }),
      }),
  };
}

/** Attributes of a cluster in spans and metrics. It is known by the first of its configured brokers. */
export function kafkaAttributes({ KAFKA_BROKERS }: Brokers): KafkaAttributes {
  const [first = ""] = KAFKA_BROKERS.split(",");
  // Whoever connects reports a wrong list.
  const [, host = "", port = ""] = /^\s*(.*?)(?::(\d+))?\s*$/.exec(first) ?? [];
  return { "messaging.system": "kafka", "server.address": host, "server.port": Number(port) };
}

/** Returns the kind of a failure: what the broker answered, a timeout or a closed connection. */
function errorTypeOf(error: unknown): string {
  const reply = causes(error).find(({ name }) => name === "KafkaJSProtocolError");
  if (reply !== undefined) return (reply as Error & { type?: string }).type ?? "_OTHER";
  if (causes(error).some(({ message }) => /in time|timed out/.test(message))) return "timeout";
  return error instanceof LinkDown ? "closed" : "_OTHER";
}

type KafkaMetrics = ConsumerObserver & {
  sent: SendObserver;
  /** The work of a message is done. */
  processed(this: void, topic: string, group: string, durationMs: number, errorType?: string): void;
};

type KafkaAttributes = { "messaging.system": "kafka"; "server.address": string; "server.port": number };
type Brokers = { KAFKA_BROKERS: string };
