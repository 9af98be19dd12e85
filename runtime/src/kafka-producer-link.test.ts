// When a failed send counts against the connection. kafka.live.test.ts tests the link with Kafka.
import assert from "node:assert/strict";
import test from "node:test";
import { readConfig } from "./config.ts";
import { coreWaits } from "./core-waits.ts";
import { KafkaConfig } from "./kafka.ts";
import { type Connection, ProducerLink } from "./kafka-producer-link.ts";
import { logSilence } from "./connection-silence.ts";
import { starvationOf } from "./starvation.ts";

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
  using _log = logSilence({ warn: ({ reason }) => void names.push(reason) });
  const connections: FakeConnection[] = [];
  const refused = Promise.withResolvers<never>();
  await using link = await ProducerLink.open(config, "test", {
    connect: async () => {
      connections.push(fakeConnection());
      return connections.length === 1 ? connections[0]! : refused.promise;
    },
  });
  connections[0]!.sends = [new Promise(() => {})];
  const isStarved = (error: unknown) => starvationOf(error) !== undefined;
  await assert.rejects(link.send([]), isStarved);
  assert.deepEqual(
    [link.isResponsive, link.starvation === undefined, names],
    [false, false, ["Kafka, test"]],
  );
  // One that waits for the next connection in vain says the same.
  await assert.rejects(link.send([]), isStarved);
  refused.reject(new Error("Connection error: connect ECONNREFUSED 127.0.0.1:9092"));
  await refused.promise.catch(() => {});
  await new Promise(setImmediate);
  assert.equal(link.starvation, undefined);
});

test("what a broker replies after such a wait is load as well, but not a full disk, and keeps the connection", async (t) => {
  t.mock.method(coreWaits, "mainThread", () => new Map([["main", 0.75 * performance.now()]]));
  const connection = fakeConnection();
  await using link = await ProducerLink.open(config, "test", { connect: async () => connection });
  const reply = Object.assign(new Error("not the leader"), { name: "KafkaJSProtocolError" });
  connection.sends = [new Promise((_, reject) => setTimeout(() => reject(reply), 20))];
  await assert.rejects(link.send([]), (error) => starvationOf(error) !== undefined);
  assert.deepEqual([link.isResponsive, connection.closed], [true, false]);

  const full = Object.assign(new Error("disk"), { name: reply.name, type: "KAFKA_STORAGE_ERROR" });
  connection.sends = [new Promise((_, reject) => setTimeout(() => reject(full), 20))];
  await assert.rejects(link.send([]), (error) => error === full);
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
