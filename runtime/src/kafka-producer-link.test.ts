// When a failed send counts against the connection. kafka.live.test.ts tests the link with Kafka.
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import test from "node:test";
import { readConfig } from "./config.ts";
import { KafkaConfig } from "./kafka.ts";
import { type Connection, isKafkaFault, ProducerLink } from "./kafka-producer-link.ts";
import { logSilence } from "./connection-silence.ts";
import { coreWaits } from "./starvation.ts";

// Short, because the test waits until a send has used it up.
const config = { ...readConfig(KafkaConfig, {}), KAFKA_REQUEST_MS: 50 };

test("a send that waited for a new connection, and had no time left, does not close it", async () => {
  const connections: FakeConnection[] = [];
  const opened = Promise.withResolvers<void>();
  await using link = await ProducerLink.open(config, "test", {
    connect: async () => {
      const connection = fakeConnection();
      connections.push(connection);
      if (connections.length > 1) await opened.promise;
      return connection;
    },
  });
  connections[0]!.sends = [Promise.reject(new Error("the connection was reset"))];
  await assert.rejects(link.send([]), /the connection was reset/);

  const waiting = link.send([]);
  connections[1]!.sends = [new Promise(() => {}), Promise.resolve([])];
  opened.resolve();
  await assert.rejects(waiting, /did not answer in time/);
  await link.send([]);
  assert.deepEqual(
    connections.map(({ closed }) => closed),
    [true, false],
  );
});

test("a send that had all its time, or that fails on the connection, closes it", async () => {
  for (const [result, message] of [
    [() => new Promise<never>(() => {}), /did not answer in time/],
    [() => Promise.reject(new Error("the connection was reset")), /was reset/],
  ] as const) {
    const connections: FakeConnection[] = [];
    await using link = await ProducerLink.open(config, "test", {
      connect: async () => {
        connections.push(fakeConnection());
        return connections.at(-1)!;
      },
    });
    connections[0]!.sends = [result()];
    await assert.rejects(link.send([]), message);
    assert.ok(connections[0]!.closed);
  }
});

test("a send in vain in a process without a core is not held against the brokers, a refusal is", async (t) => {
  // A thread that waits for three quarters of the time.
  t.mock.method(coreWaits, "mainThread", () => new Map([["main", 0.75 * performance.now()]]));
  const names: string[] = [];
  using _log = logSilence({ info: ({ reason }) => void names.push(reason) });
  const connections: FakeConnection[] = [];
  const refused = Promise.withResolvers<never>();
  await using link = await ProducerLink.open(config, "test", {
    connect: async () => {
      connections.push(fakeConnection());
      return connections.length === 1 ? connections[0]! : refused.promise;
    },
  });
  connections[0]!.sends = [new Promise(() => {})];
  await assert.rejects(link.send([]), /did not answer in time/);
  assert.deepEqual([link.isResponsive, link.isStarved, names], [false, true, ["Kafka, test"]]);
  refused.reject(new Error("Connection error: connect ECONNREFUSED 127.0.0.1:9092"));
  await refused.promise.catch(() => {});
  await new Promise(setImmediate);
  assert.equal(link.isStarved, false);
});

test("a link that is closed while it is down is no outage any more", async (t) => {
  const changes: unknown[] = [];
  const note = (change: unknown) => void changes.push((change as { isLost: boolean }).isLost);
  subscribe("faceline.connection", note);
  t.after(() => unsubscribe("faceline.connection", note));
  let connection: FakeConnection | undefined = fakeConnection();
  const link = await ProducerLink.open(config, "test", {
    connect: async () => connection ?? Promise.reject(new Error("connect ECONNREFUSED")),
  });
  connection.sends = [Promise.reject(new Error("the connection was reset"))];
  connection = undefined;
  await assert.rejects(link.send([]), /was reset/);
  await link[Symbol.asyncDispose]();
  assert.deepEqual(changes, [true, false]);
});

test("a refusal, a missing topic and a full disk are faults of the brokers, other replies keep the connection", async () => {
  const connection = fakeConnection();
  await using link = await ProducerLink.open(config, "test", { connect: async () => connection });
  for (const [type, isFault] of [
    ["NOT_LEADER_FOR_PARTITION", false],
    ["KAFKA_STORAGE_ERROR", true],
    ["UNKNOWN_TOPIC_OR_PARTITION", true],
  ] as const) {
    connection.sends = [
      Promise.reject(Object.assign(new Error(type), { name: "KafkaJSProtocolError", type })),
    ];
    await assert.rejects(link.send([]), (error) => isKafkaFault(error) === isFault);
    assert.deepEqual([link.isResponsive, connection.closed], [true, false]);
  }
  assert.ok(isKafkaFault(new Error("late", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9092") })));
});

/** `sends`: what the next sends return, in their order. */
type FakeConnection = Connection & { closed: boolean; sends: Promise<never[]>[] };

function fakeConnection(): FakeConnection {
  const connection: FakeConnection = {
    closed: false,
    sends: [],
    producer: {
      sendBatch: () => connection.sends.shift()!,
      disconnect: async () => {},
    },
    sockets: {
      abandon() {
        connection.closed = true;
      },
    },
    cluster: () => ({ brokerPool: { brokers: {}, seedBroker: undefined } }),
  };
  return connection;
}
