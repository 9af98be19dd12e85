import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Answer } from "@faceline/contracts/wire/answer";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import { noWait } from "@faceline/contracts/wire/timing";
import type { ConsumerOptions, ReadMessage } from "@faceline/runtime/kafka-consumer";
import { openLog } from "@faceline/runtime/log";
import type { RedisConnection } from "@faceline/runtime/redis";
import { buildOf, call } from "../testing/fixtures.ts";
import type { Event } from "./scheduling/state/state.ts";
import { TaskInbox } from "./task-inbox.ts";

test("a rebalance that leaves the partition here loses no call that is being looked up", async (t) => {
  const { consumer, redis, arrived, end, committed } = await openInbox(t);
  consumer.assigned([0]);
  consumer.take(messages(7, 8));
  // The group's other member has joined: the partition stays, and the consumer reads on from the committed
  // offset.
  consumer.assigned([0]);
  consumer.take(messages(7, 8));
  await redis.reply();

  assert.deepEqual(arrived(), ["call-7", "call-8"]);
  end("call-7", "call-8");
  t.mock.timers.tick(100);
  assert.deepEqual(committed, ["9"]);
});

test("a call that was looked up while the partition left and came back arrives once, from the second reading", async (t) => {
  const { consumer, redis, arrived } = await openInbox(t);
  consumer.assigned([0]);
  consumer.take(messages(7));
  consumer.assigned([]);
  await redis.reply();
  assert.deepEqual(arrived(), []);

  consumer.assigned([0]);
  consumer.take(messages(7));
  await redis.reply();
  assert.deepEqual(arrived(), ["call-7"]);
});

test("the role is logged when it changes, not each time that the group assigns nothing", async (t) => {
  const { consumer, roles } = await openInbox(t);
  for (const partitions of [[], [], [0], [0], [], [], []]) consumer.assigned(partitions);
  assert.deepEqual(roles, [false, true, false]);
});

test("the offsets of a topic that was made anew are committed, whatever those of the old one were", async (t) => {
  const { consumer, redis, arrived, end, committed } = await openInbox(t);
  consumer.assigned([0]);
  consumer.take(messages(7));
  await redis.reply();
  end("call-7");
  t.mock.timers.tick(100);
  await Promise.resolve();
  consumer.take(messages(0));
  await redis.reply();
  end("call-0");
  t.mock.timers.tick(100);
  assert.deepEqual(arrived(), ["call-7", "call-0"]);
  assert.deepEqual(committed, ["8", "1"]);
});

test("the scheduler gets an event when the partition is assigned, and one when it is lost", async (t) => {
  const { consumer, events } = await openInbox(t);
  consumer.assigned([]);
  consumer.assigned([0]);
  consumer.assigned([]);
  consumer.assigned([]);
  assert.deepEqual(
    events.map((event) => event.kind),
    ["partition_assigned", "partition_lost"],
  );
});

test("where Redis cannot tell which tasks are answered, all of them run", async (t) => {
  const { consumer, redis, arrived } = await openInbox(t);
  consumer.assigned([0]);
  consumer.take(messages(7));
  await redis.reply(new Error("Redis is away"));
  assert.deepEqual(arrived(), ["call-7"]);
});

test("answers are looked up 50 at a time, and a failed look-up costs only its tasks", async (t) => {
  const { consumer, redis, arrived } = await openInbox(t);
  redis.answer = (key) => (key.startsWith("answer:call-3/") ? null : Buffer.from(""));
  consumer.assigned([0]);
  consumer.take(messages(...Array.from({ length: 110 }, (_, offset) => offset)));
  assert.deepEqual(redis.lookUpSizes, [50]);
  await redis.reply();
  await redis.reply(new Error("Redis is slow"));
  await redis.reply();
  assert.deepEqual(redis.lookUpSizes, [50, 50, 10]);
  const failed = Array.from({ length: 50 }, (_, index) => `call-${50 + index}`);
  assert.deepEqual(arrived(), ["call-3", ...failed]);
});

test("the rest of a call that was answered in part arrives with the build that answered", async (t) => {
  const { consumer, redis, events } = await openInbox(t);
  // The ingress has the one of call 6 already.
  const answers = [
    Buffer.from(JSON.stringify({ build: buildOf("1") })),
    answerOf(buildOf("1")),
    answerOf(null),
  ];
  redis.answer = (key) => (key.endsWith("/0") ? (answers[Number(key[12]) - 6] ?? null) : null);
  consumer.assigned([0]);
  consumer.take(messagesOf(2, 6, 7, 8, 9));
  await redis.reply();
  const arrivals = events.flatMap((event) =>
    event.kind === "arrive" ? [[event.call.tasks.length, event.answeredBy]] : [],
  );
  // The first task of call 8 was refused, by no worker, and none of call 9 is answered.
  assert.deepEqual(arrivals, [
    [1, buildOf("1")],
    [1, buildOf("1")],
    [1, undefined],
    [2, undefined],
  ]);
});

/**
 * An inbox whose messages were all sent before it became active, so that each of them is looked up in Redis.
 */
async function openInbox(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const events: Event[] = [];
  const roles: boolean[] = [];
  const logRole = ({ active }: { active: boolean }) => void roles.push(active);
  const committed: string[] = [];
  const lookUps: PromiseWithResolvers<void>[] = [];
  const server = {
    answer: (_key: string): Buffer | null => null,
    lookUpSizes: [] as number[],
  };
  let now = 2_000;
  let consumer: ConsumerOptions | undefined;
  let onEnded = (_tasks: TaskId[]): void => {};

  const inbox = await TaskInbox.open({
    config: { POOL: "default" },
    clientId: "batcher-0000000000000000",
    clock: { now: () => now++ },
    redis: {
      pipeline() {
        const keys: string[] = [];
        return {
          getBuffer: (key: string) => void keys.push(key),
          async exec() {
            const lookUp = Promise.withResolvers<void>();
            lookUps.push(lookUp);
            server.lookUpSizes.push(keys.length);
            await lookUp.promise;
            return keys.map((key) => [null, server.answer(key)]);
          },
        };
      },
    } as unknown as Pick<RedisConnection, "pipeline">,
    deadLetters: { record: () => assert.fail("every message can be read") },
    loop: {
      handle: (event) => void events.push(event),
      onEnded: (listener) => {
        onEnded = listener;
      },
    },
    log: Object.assign(openLog("batcher", "silent"), { info: logRole }),
    onConsumerLost: (error) => assert.fail(error),
    openConsumer: async (options) => {
      consumer = options;
      return {
        commit: async (_partition, nextOffset) => {
          committed.push(nextOffset);
          return true;
        },
        async [Symbol.asyncDispose]() {},
      };
    },
  });
  t.after(() => inbox[Symbol.asyncDispose]());

  return {
    events,
    roles,
    committed,
    consumer: {
      assigned: (partitions: number[]) => consumer!.onAssignment(partitions),
      take: (fetched: ReadMessage[]) => consumer!.onMessages(0, fetched, () => {}),
    },
    redis: Object.assign(server, {
      /** Answers every look-up so far, or fails it, and lets the code that waits for it run. */
      async reply(error?: Error) {
        for (const lookUp of lookUps.splice(0)) {
          if (error === undefined) lookUp.resolve();
          else lookUp.reject(error);
        }
        await new Promise(setImmediate);
      },
    }),
    arrived: () =>
      events.flatMap((event) => (event.kind === "arrive" ? [event.call.requestId as string] : [])),
    end: (...names: string[]) => onEnded(names.flatMap((name) => call(name, 1, { now: 1_000 }).call.tasks)),
  };
}

const messages = (...offsets: number[]): ReadMessage[] => messagesOf(1, ...offsets);

/** Calls of so many tasks. */
const messagesOf = (count: number, ...offsets: number[]): ReadMessage[] =>
  offsets.map((offset) => ({
    offset: `${offset}`,
    value: Buffer.from(JSON.stringify(call(`call-${offset}`, count, { now: 1_000 }).call)),
  }));

const answerOf = (build: LaneBuild | null): Buffer => {
  const { call: message } = call("any", 1, { now: 1_000 });
  const timing = { ...noWait, prepareMs: 0, runMs: 0, answerMs: 0 };
  const outcome = { kind: "rejected", code: "no_face_detected" } as const;
  return Buffer.from(JSON.stringify({ task: message.tasks[0]!, outcome, timing, build } satisfies Answer));
};
