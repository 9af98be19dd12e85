import assert from "node:assert/strict";
import type { ReceivedSpan } from "./otlp-receiver.ts";

const message = ["messaging.system", "messaging.operation.name", "messaging.destination.name"];
const type = "messaging.operation.type";
const group = "messaging.consumer.group.name";

/**
 * What the semantic conventions of OpenTelemetry 1.45 require, and what of their recommendations is kept:
 * facts from their documents http, database (with redis), messaging (with kafka), runtime and process. Left
 * out on purpose, since clients send it: url.query, client.address, user_agent.original.
 */
export const metricConventions: Record<string, MetricConvention> = {
  "http.server.request.duration": {
    kind: "histogram",
    unit: "s",
    required: ["http.request.method", "url.scheme", "http.route", "http.response.status_code"],
    conditional: ["error.type"],
  },
  "http.server.active_requests": {
    kind: "observed_up_down_counter",
    unit: "{request}",
    required: ["http.request.method", "url.scheme"],
  },
  "db.client.operation.duration": {
    kind: "histogram",
    unit: "s",
    required: ["db.system.name", "db.namespace", "db.operation.name", "server.address"],
    conditional: ["server.port", "error.type"],
  },
  "messaging.client.operation.duration": {
    kind: "histogram",
    unit: "s",
    required: [...message, type, "server.address"],
    conditional: ["server.port", group, "error.type"],
  },
  "messaging.client.sent.messages": {
    kind: "counter",
    unit: "{message}",
    required: [...message, "server.address"],
    conditional: ["server.port", "error.type"],
  },
  "messaging.client.consumed.messages": {
    kind: "counter",
    unit: "{message}",
    required: [...message, group, "server.address"],
    conditional: ["server.port"],
  },
  "messaging.process.duration": {
    kind: "histogram",
    unit: "s",
    required: [...message, group, "server.address"],
    conditional: ["server.port", "error.type"],
  },
  "process.cpu.time": { kind: "observed_counter", unit: "s", required: ["cpu.mode"] },
  "process.memory.usage": { kind: "observed_up_down_counter", unit: "By", required: [] },
  "nodejs.eventloop.utilization": { kind: "gauge", unit: "1", required: [] },
  "nodejs.eventloop.delay.p50": { kind: "gauge", unit: "s", required: [] },
  "nodejs.eventloop.delay.p99": { kind: "gauge", unit: "s", required: [] },
  "nodejs.eventloop.delay.max": { kind: "gauge", unit: "s", required: [] },
  "v8js.gc.duration": { kind: "histogram", unit: "s", required: ["v8js.gc.type"] },
  "v8js.memory.heap.used": heapMemory(),
  "v8js.memory.heap.limit": heapMemory(),
};

function heapMemory(): MetricConvention {
  return { kind: "observed_up_down_counter", unit: "By", required: ["v8js.heap.space.name"] };
}

/** Throws if a span between processes has not the name or the attributes of its kind. */
export function assertSpanConventions({ name, kind, attributes, failed }: ReceivedSpan): void {
  const rule = spanRules[kind];
  if (rule === undefined) return;
  // Redis carries answers; its channels belong to no broker of Kafka.
  const isKafka = attributes["messaging.system"] !== "redis";
  const required = [...rule.required, ...(isKafka ? (rule.ofServers ?? []) : [])];
  const missing = required.filter((each) => attributes[each] === undefined);
  assert.deepEqual(missing, [], `${name} has no ${missing.join(", ")}`);
  if (failed) assert.ok("error.type" in attributes, `${name} has no error.type`);
  assert.equal(name, rule.name(attributes));
}

const messageName = (attributes: Attributes): string =>
  [
    attributes["messaging.operation.name"],
    attributes["messaging.destination.template"] ?? attributes["messaging.destination.name"],
  ].join(" ");

/** By the number of the kind in OTLP: server, client, producer, consumer. */
const spanRules: Record<number, SpanRule> = {
  2: {
    required: [
      "http.request.method",
      "url.path",
      "url.scheme",
      "http.route",
      "http.response.status_code",
      "network.protocol.version",
    ],
    name: (attributes) => [attributes["http.request.method"], attributes["http.route"]].join(" "),
  },
  3: {
    required: ["db.system.name", "db.namespace", "db.operation.name", "server.address"],
    // Of Redis the name has no number of a database.
    name: (attributes) => String(attributes["db.operation.name"]),
  },
  4: {
    required: [...message, type],
    ofServers: ["server.address", "server.port", "messaging.client.id", "messaging.destination.partition.id"],
    name: messageName,
  },
  5: {
    required: [...message, type, group],
    ofServers: ["server.address", "server.port", "messaging.client.id"],
    name: messageName,
  },
};

type Attributes = ReceivedSpan["attributes"];

type SpanRule = { required: string[]; ofServers?: string[]; name(attributes: Attributes): string };

type MetricConvention = {
  kind: string;
  unit: string;
  /** Attributes of every series. */
  required: string[];
  /** Attributes of those series to which they apply. */
  conditional?: string[];
};
