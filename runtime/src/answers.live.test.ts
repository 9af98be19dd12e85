import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import type { Answer } from "@faceline/contracts/wire/answer";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { answerKey, answersChannel } from "@faceline/contracts/wire/names";
import { noWait } from "@faceline/contracts/wire/timing";
import { addressAnswer, markCancelled, publishAnswers, taskEnds } from "./answers.ts";
import { readConfig } from "./config.ts";
import { newProcessId } from "./process-lifecycle.ts";
import { connectVolatileRedis, VolatileRedisConfig } from "./redis.ts";
import { subscribe } from "./redis-subscription.ts";

const config = readConfig(VolatileRedisConfig, process.env);

test("the first answer is kept, every answer is published, and each ingress receives only its own", async () => {
  await using redis = await connectVolatileRedis(config);
  const [here, elsewhere] = [newProcessId("ingress"), newProcessId("ingress")];
  const { promise: both, resolve } = Promise.withResolvers<void>();
  const messages: { task: string; kind: string }[][] = [];
  await using _subscription = await subscribe(config, [answersChannel(here)], (message) => {
    const answers = JSON.parse(message.toString()) as Answer[];
    if (messages.push(answers.map((each) => ({ task: each.task, kind: each.outcome.kind }))) === 2) resolve();
  });

  const [a, b, other] = [0, 1, 2].map((index) => `${randomUUID()}/nnnnnnnnnnnnnnnn/${index}` as TaskId);
  const now = Date.now();
  const expired = answer(a!, { kind: "expired", lateByMs: 1 });
  const first = [
    addressAnswer(expired, here, now + 1_000),
    addressAnswer(answer(b!, { kind: "expired", lateByMs: 1 }), here, now + 1_000),
    addressAnswer(answer(other!, { kind: "expired", lateByMs: 1 }), elsewhere, now + 1_000),
  ];
  // The other ingress does not listen; its answer is stored.
  assert.deepEqual((await publishAnswers(redis, first, now)).undelivered, []);
  const second = answer(a!, { kind: "failed", reason: "run_failed" });
  await publishAnswers(redis, [addressAnswer(second, here, now + 1_000)], now);
  await both;

  assert.deepEqual(messages, [
    [
      { task: a, kind: "expired" },
      { task: b, kind: "expired" },
    ],
    [{ task: a, kind: "failed" }],
  ]);
  assert.deepEqual(JSON.parse((await redis.get(answerKey(a!)))!), expired);
  const lastsMs = await redis.pttl(answerKey(a!));
  assert.ok(lastsMs > 0 && lastsMs <= 11_000, `${lastsMs}`);
});

test("a task has ended when it is answered or its call was cancelled, and a cancel replaces its answer", async () => {
  await using redis = await connectVolatileRedis(config);
  const tasks = [0, 1, 2].map((index) => `${randomUUID()}/nnnnnnnnnnnnnnnn/${index}` as TaskId);
  const [answered, cancelled] = tasks;
  const now = Date.now();
  const expired = addressAnswer(answer(answered!, { kind: "expired", lateByMs: 1 }), "ingress", now);
  await publishAnswers(redis, [expired], now);
  await markCancelled(redis, [answered!, cancelled!], 1_000);
  assert.deepEqual(await taskEnds(redis, tasks), ["cancelled", "cancelled", undefined]);
  const lastsMs = await redis.pttl(answerKey(cancelled!));
  assert.ok(lastsMs > 0 && lastsMs <= 11_000, `${lastsMs}`);

  redis.disconnect();
  assert.deepEqual(await taskEnds(redis, tasks), [undefined, undefined, undefined]);
});

const answer = (task: TaskId, outcome: Answer["outcome"]): Answer => ({
  task,
  outcome,
  timing: { ...noWait, prepareMs: 0, runMs: 0, answerMs: 0 },
  build: null,
});

test("without a server no answer is delivered, and the reason is returned", async () => {
  const redis = await connectVolatileRedis(config);
  redis.disconnect();
  const task = `${randomUUID()}/nnnnnnnnnnnnnnnn/0` as TaskId;
  const lost = addressAnswer(answer(task, { kind: "expired", lateByMs: 1 }), newProcessId("ingress"), 1_000);
  const { undelivered, reason } = await publishAnswers(redis, [lost], 0);
  assert.deepEqual(undelivered, [lost]);
  assert.ok(reason);
});
