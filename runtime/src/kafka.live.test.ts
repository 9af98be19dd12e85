import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { deadLetterTopic } from "@faceline/contracts/wire/names";
import { readConfig } from "./config.ts";
import { DeadLetters } from "./dead-letters.ts";
import { KafkaConfig, openAdmin } from "./kafka.ts";
import { openConsumer } from "./kafka-consumer.ts";
import { openProducer, type Producer } from "./kafka-producer.ts";
import { openLog } from "./log.ts";

const config = readConfig(KafkaConfig, process.env);
const log = openLog("test", "silent");

test("messages are delivered once and in order, and only uncommitted ones are delivered again", async (t) => {
  const topic = await freshTopic(t, 1);
  await using producer = await openProducer(config, "test");
  await Promise.all(Array.from({ length: 20 }, (_, index) => producer.send(topic, 0, `${index}`)));

  const first = await read(topic, 20, { commitUpTo: "12" });
  assert.deepEqual(
    first,
    Array.from({ length: 20 }, (_, index) => `${index}`),
  );
  const second = await read(topic, 8, {});
  assert.deepEqual(
    second,
    Array.from({ length: 8 }, (_, index) => `${index + 12}`),
  );
});

test("an offset that the partition no longer has, or not yet, is followed by its first message", async (t) => {
  const topic = await freshTopic(t, 1);
  await using producer = await openProducer(config, "test");
  for (let index = 0; index < 4; index++) await producer.send(topic, 0, `${index}`);
  await read(topic, 4, { commitUpTo: "1" });
  await using admin = await openAdmin(config);
  // Kafkajs deletes records only of topics that it has asked for.
  await admin.fetchTopicOffsets(topic);
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: "2" }] });
  // As after the retention, and as after the topic was deleted and made again.
  assert.deepEqual(await read(topic, 2, { commitUpTo: "40" }), ["2", "3"]);
  assert.deepEqual(await read(topic, 2, {}), ["2", "3"]);
});

test("more than a record batch may wait while one request is in flight, and all of it arrives", async (t) => {
  const topic = await freshTopic(t, 1);
  await using producer = await openProducer(config, "test");
  const first = producer.send(topic, 0, "0");
  // The first leaves in this turn of the event loop, the others wait for it.
  await Promise.resolve().then(() => Promise.resolve());
  const rest = Array.from({ length: 2_600 }, (_, i) => producer.send(topic, 0, `${i + 1}`.padEnd(1_000)));
  await Promise.all([first, ...rest]);

  const values = await read(topic, 2_601, {});
  assert.deepEqual(values.map(Number), Array.from(values.keys()));
});

test("a message larger than a record batch fails alone, with its topic and size", async (t) => {
  const topic = await freshTopic(t, 1);
  await using producer = await openProducer(config, "test");
  const small = producer.send(topic, 0, "small");
  await assert.rejects(producer.send(topic, 0, "x".repeat(1_000_000)), (error: Error) => {
    assert.match(error.message, new RegExp(`for ${topic} has 1000064 bytes`));
    return true;
  });
  await small;
  assert.deepEqual(await read(topic, 1, {}), ["small"]);
});

test("a partition has one consumer of a group, which knows of the other; that takes over when it leaves", async (t) => {
  const topic = await freshTopic(t, 1);
  const member = async (name: string) => {
    const active = Promise.withResolvers<void>();
    const sizes: number[] = [];
    const consumer = await openConsumer(config, {
      topic,
      group: `g-${topic}`,
      clientId: name,
      log,
      onMessages: () => {},
      onFatalError: (error) => active.reject(error),
      onAssignment: (partitions) => partitions.includes(0) && active.resolve(),
      onMembers: (size) => void sizes.push(size),
    });
    const isOf = (size: number) => pollUntil(() => sizes.at(-1) === size);
    return { name, consumer, active: active.promise, isOf };
  };
  const members = [await member("one"), await member("two")];
  const first = await Promise.race(members.map((each) => each.active.then(() => each)));
  const other = members.find((each) => each !== first)!;
  await Promise.all(members.map((each) => each.isOf(2)));
  await first.consumer[Symbol.asyncDispose]();
  await other.active;
  await other.isOf(1);
  await other.consumer[Symbol.asyncDispose]();
});

test("the session of a member is renewed with every heartbeat, from the instant at which it was sent", async (t) => {
  const topic = await freshTopic(t, 1);
  const renewed = Promise.withResolvers<void>();
  const validForMs: number[] = [];
  const consumer = await openConsumer(config, {
    topic,
    group: `g-${topic}`,
    clientId: "one",
    log,
    onMessages: () => {},
    onFatalError: (error) => renewed.reject(error),
    onAssignment: () => validForMs.splice(0),
    onSession(ms) {
      if (validForMs.push(ms) === 4) renewed.resolve();
    },
  });
  await renewed.promise;
  await consumer[Symbol.asyncDispose]();
  for (const ms of validForMs) assert.ok(ms <= config.KAFKA_SESSION_MS, `${ms} ms`);
});

test("a process that was blocked for longer than KAFKA_REQUEST_MS has lost no connection to Kafka", async (t) => {
  const topic = await freshTopic(t, 1);
  const blocking = { ...config, KAFKA_REQUEST_MS: 300 };
  await using producer = await openProducer(blocking, "test");
  const received = Promise.withResolvers<void>();
  const changes: boolean[] = [];
  await using _consumer = await openConsumer(blocking, {
    topic,
    group: `g-${topic}`,
    clientId: "reader",
    log,
    onAssignment: () => {},
    onResponsiveChange: (isResponsive) => changes.push(isResponsive),
    onFatalError: (error) => received.reject(error),
    onMessages: () => received.resolve(),
  });
  const sent = producer.send(topic, 0, "sent before");
  // It leaves in this turn of the event loop.
  await Promise.resolve().then(() => Promise.resolve());
  block(2_000);
  assert.equal(producer.isResponsive(), true);
  await Promise.all([sent, received.promise]);
  assert.equal(producer.isResponsive(), true);
  assert.deepEqual(changes, []);
});

test("a producer notices that a topic is missing, and that it is there again", async () => {
  const topic = `test.${randomBytes(6).toString("hex")}`;
  await using admin = await openAdmin(config);
  await using producer = await openProducer(config, "test", { topics: [topic] });
  await pollUntil(() => !producer.hasTopics());
  await assert.rejects(producer.send(topic, 0, "lost"), { message: `Kafka lacks the topic ${topic}` });
  assert.equal(producer.isHealthy(), true);
  await admin.createTopics({ topics: [{ topic, numPartitions: 1, replicationFactor: 1 }] });
  await pollUntil(() => producer.hasTopics());
  await admin.deleteTopics({ topics: [topic] });
});

test("a dead letter has the offset of the message and a reason, and none of its content", async (t) => {
  const topic = await freshTopic(t, 1);
  await using admin = await openAdmin(config);
  const [before] = await admin.fetchTopicOffsets(deadLetterTopic);
  {
    const openLetterProducer = async () => {
      const producer = await openProducer(config, "test");
      const send: Producer["send"] = async (...message) => {
        await producer.send(...message);
        written.resolve();
      };
      return { ...producer, send };
    };
    const written = Promise.withResolvers<void>();
    const failed = { error: ({ reason }: { reason: string }) => written.reject(new Error(reason)) };
    await using letters = new DeadLetters({ openProducer: openLetterProducer, log: failed });
    letters.record({ topic, partition: "0", offset: "41", reason: "tasks: too_small" });
    await written.promise;
  }
  const [after] = await admin.fetchTopicOffsets(deadLetterTopic);
  assert.equal(Number(after!.high) - Number(before!.high), 1);
});

test("a login that is not answered in time is tried again, and is no wrong password", async (t) => {
  const [host = "", port] = config.KAFKA_BROKERS.split(":");
  const password = config.KAFKA_SASL_PASSWORD ?? config.KAFKA_SASL_PASSWORD_FILE!;
  let logins = 0;
  const proxy = createServer((client) => {
    const broker = connect(Number(port), host);
    t.after(() => client.destroy());
    client.on("close", () => broker.destroy()).on("error", () => {});
    broker.pipe(client);
    client.on("data", (bytes) => {
      if (bytes.includes(password) && logins++ === 0) return;
      broker.write(bytes);
    });
  });
  t.after(() => proxy.close());
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const admin = await openAdmin({ ...config, KAFKA_BROKERS: address, KAFKA_REQUEST_MS: 200 });
  await admin.disconnect();
  assert.ok(logins >= 2);
});

async function read(
  topic: string,
  count: number,
  { commitUpTo }: { commitUpTo?: string },
): Promise<string[]> {
  const values: string[] = [];
  const enough = Promise.withResolvers<void>();
  await using consumer = await openConsumer(config, {
    topic,
    group: `g-${topic}`,
    clientId: "reader",
    log,
    onAssignment: () => {},
    onFatalError: (error) => enough.reject(error),
    onMessages(_partition, messages) {
      values.push(...messages.map((message) => message.value!.toString()));
      if (values.length >= count) enough.resolve();
    },
  });
  await enough.promise;
  if (commitUpTo !== undefined) await consumer.commit(0, commitUpTo);
  return values;
}

async function pollUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(25);
}

function block(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}

async function freshTopic(t: TestContext, numPartitions: number): Promise<string> {
  const topic = `test.${randomBytes(6).toString("hex")}`;
  const admin = await openAdmin(config);
  // The client's own wait for leaders fails while the broker does not know the topic yet.
  await admin.createTopics({
    topics: [{ topic, numPartitions, replicationFactor: 1 }],
    waitForLeaders: false,
  });
  while (!(await admin.listTopics()).includes(topic));
  t.after(async () => {
    await admin.deleteTopics({ topics: [topic] });
    await admin.disconnect();
  });
  return topic;
}
