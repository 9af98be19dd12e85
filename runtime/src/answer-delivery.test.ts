import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Answer } from "@faceline/contracts/wire/answer";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { noWait } from "@faceline/contracts/wire/timing";
import { AnswerDelivery } from "./answer-delivery.ts";
import { type AnswersRedis, addressAnswer } from "./answers.ts";
import { openLog } from "./log.ts";

// The server is scripted: which SETs fail, and how many receivers a PUBLISH has, cannot be had from a real
// one.

test("answers whose part of the pipeline was lost are published again, and only they", async (t) => {
  const { delivery, server, passMs } = openDelivery(t);
  server.stores = (task) => task === id(0) || task === id(1);
  const ended: TaskId[] = [];
  const all = delivery.deliver(
    [0, 1, 2, 3].map((n) => answer(n)),
    (tasks) => ended.push(...tasks),
  );
  await settle();
  assert.deepEqual(ended, [id(0), id(1)]);

  server.stores = () => true;
  await passMs(100);
  await all;
  assert.deepEqual(ended, [0, 1, 2, 3].map(id));
  assert.deepEqual(server.tried, [[0, 1, 2, 3].map(id), [2, 3].map(id)]);
});

test("on a full server an answer is delivered where its ingress receives it, and not where nobody listens", async (t) => {
  const { delivery, server } = openDelivery(t);
  server.stores = () => false;
  server.receivers = (channel) => (channel === "answers:ingress-a" ? 1 : 0);
  const ended: TaskId[] = [];
  void delivery.deliver([answer(0, { ingress: "ingress-a" }), answer(1, { ingress: "ingress-b" })], (tasks) =>
    ended.push(...tasks),
  );
  await settle();
  assert.deepEqual(ended, [id(0)]);
});

test("an answer is published until its deadline, and its task ends then", async (t) => {
  const { delivery, server, passMs } = openDelivery(t);
  server.stores = () => false;
  const ended: TaskId[] = [];
  const all = delivery.deliver([answer(0, { deadlineAt: 250 }), answer(1, { deadlineAt: 550 })], (tasks) =>
    ended.push(...tasks),
  );
  await passMs(200);
  assert.deepEqual(ended, []);
  await passMs(100);
  assert.deepEqual(ended, [id(0)]);
  await passMs(300);
  await all;
  assert.deepEqual(ended, [id(0), id(1)]);
  assert.equal(server.tried.length, 6);
});

test("answers beyond the bytes that may wait are not published again, and end at their deadline", async (t) => {
  const oneAnswer = Buffer.byteLength(answer(0).json);
  const { delivery, server, passMs } = openDelivery(t, { retriedBytesMax: 2 * oneAnswer });
  server.stores = () => false;
  const ended: TaskId[] = [];
  void delivery.deliver(
    [0, 1, 2].map((n) => answer(n, { deadlineAt: 450 })),
    (tasks) => ended.push(...tasks),
  );
  await passMs(100);
  assert.deepEqual(server.tried[1], [id(0), id(1)]);
  server.stores = () => true;
  await passMs(100);
  assert.deepEqual(ended, [id(0), id(1)]);
  await passMs(300);
  assert.deepEqual(ended, [id(0), id(1), id(2)]);

  // What was delivered or dropped takes no room any more.
  server.stores = () => false;
  void delivery.deliver([answer(3, { deadlineAt: 900 }), answer(4, { deadlineAt: 900 })]);
  await passMs(100);
  assert.deepEqual(server.tried.at(-1), [id(3), id(4)]);
});

test("without a server answers are published as soon as it is back", async (t) => {
  const { delivery, server, passMs } = openDelivery(t);
  server.isAway = true;
  const all = delivery.deliver([answer(0)]);
  await passMs(300);
  server.isAway = false;
  await passMs(100);
  await all;
  assert.equal(server.tried.length, 5);
});

function openDelivery(t: TestContext, { retriedBytesMax = 65_536 } = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  const server = {
    isAway: false,
    stores: (_task: TaskId) => true,
    receivers: (_channel: string) => 0,
    /** The tasks of every pipeline. */
    tried: [] as TaskId[][],
  };
  const redis = {
    pipeline() {
      const tasks: TaskId[] = [];
      const replies: [Error | null, unknown][] = [];
      return {
        set(key: string) {
          const task = key.slice(key.indexOf(":") + 1) as TaskId;
          tasks.push(task);
          replies.push(server.stores(task) ? [null, "OK"] : [new Error("OOM"), undefined]);
        },
        publish: (channel: string) => void replies.push([null, server.receivers(channel)]),
        async exec() {
          server.tried.push(tasks);
          if (server.isAway) throw new Error("Connection is closed.");
          return replies;
        },
      };
    },
  };
  const delivery = new AnswerDelivery({
    redis: redis as unknown as AnswersRedis,
    clock: { now: () => now },
    log: openLog("test", "silent"),
    retriedBytesMax,
  });
  t.after(() => delivery[Symbol.asyncDispose]());
  return {
    delivery,
    server,
    async passMs(ms: number) {
      await settle();
      for (let passed = 0; passed < ms; passed += 10) {
        now += 10;
        t.mock.timers.tick(10);
        await settle();
      }
    },
  };
}

const settle = () => new Promise(setImmediate);

const id = (index: number) => `call/nnnnnnnnnnnnnnnn/${index}` as TaskId;

function answer(index: number, { ingress = "ingress-a", deadlineAt = 10_000 } = {}) {
  const outcome: Answer["outcome"] = { kind: "failed", reason: "run_failed" };
  const timing = { ...noWait, prepareMs: 0, runMs: 0, answerMs: 0 };
  return addressAnswer({ task: id(index), outcome, timing, build: null }, ingress, deadlineAt);
}
