import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { addressAnswer, markCancelled, publishAnswers, taskEnds } from "@faceline/runtime/answers";
import { readConfig } from "@faceline/runtime/config";
import type { Log } from "@faceline/runtime/log";
import { newProcessId } from "@faceline/runtime/process-lifecycle";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/runtime/redis";
import type { Answer } from "@faceline/contracts/wire/answer";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { answerKey } from "@faceline/contracts/wire/names";
import { answeredBy, facesAnswer, testBuild, waitUntil } from "../testing/server.ts";
import { openAnswerInbox } from "./answer-inbox.ts";

const config = readConfig(VolatileRedisConfig, process.env);
const marker = JSON.stringify({ build: testBuild });

test("an answer that was received is in Redis no longer, but its task has ended, on its build", async (t) => {
  const { inbox, redis, publish, stored } = await open(t);
  const [task, other] = newTasks();
  using subscription = inbox.subscribe([task!, other!]);
  await publish(facesOf(task!));
  assert.equal((await subscription.answers[0])?.outcome.kind, "faces");
  await waitUntil("the marker is there", async () => (await stored(task!)) === marker);
  assert.deepEqual(await taskEnds(redis, [task!]), ["superseded"]);
  const lastsMs = await redis.pttl(answerKey(task!));
  assert.ok(lastsMs > 1_000 && lastsMs <= 41_000, `${lastsMs}`);

  // A second worker, with another build, answers while the call still waits for its other task.
  await publish(answeredBy(facesOf(task!), { digest: "f".repeat(16) }));
  await publish(facesOf(other!));
  await subscription.answers[1];
  await waitUntil("the other one is replaced", async () => (await stored(other!)) === marker);
  assert.equal(await stored(task!), marker);
});

test("an answer of which the notification was lost is found by its key, and replaced too", async (t) => {
  const { inbox, redis, stored } = await open(t);
  const [task] = newTasks();
  using subscription = inbox.subscribe([task!]);
  const { json } = addressAnswer(facesOf(task!), "nobody", 0);
  await redis.set(answerKey(task!), json, "PX", 30_000);
  assert.equal((await subscription.answers[0])?.task, task);
  await waitUntil("the marker is there", async () => (await stored(task!)) === marker);
});

test("an answer that comes after its call has ended is replaced, or never stored after a cancel", async (t) => {
  const { inbox, redis, publish, stored } = await open(t);
  const [ended, cancelled, stays] = newTasks();
  inbox.subscribe([ended!, cancelled!])[Symbol.dispose]();
  await markCancelled(redis, [cancelled!], 30_000);
  await publish(facesOf(ended!), facesOf(cancelled!));
  await waitUntil("the marker is there", async () => (await stored(ended!)) === marker);
  assert.ok((await stored(cancelled!))!.length <= marker.length);
  assert.equal(await stored(stays!), null);
});

async function open(t: TestContext) {
  const ingress = newProcessId("ingress");
  const redis = await connectVolatileRedis(config);
  const inbox = await openAnswerInbox({ config, ingress, redis, log: {} as Log });
  t.after(async () => {
    await inbox[Symbol.asyncDispose]();
    redis.disconnect();
  });
  const publish = async (...answers: Answer[]) => {
    const now = Date.now();
    const addressed = answers.map((answer) => addressAnswer(answer, ingress, now + 30_000));
    assert.deepEqual((await publishAnswers(redis, addressed, now)).undelivered, []);
  };
  return { inbox, redis, publish, stored: (task: TaskId) => redis.get(answerKey(task)) };
}

const newTasks = () => [0, 1, 2].map((index) => `${randomUUID()}/nnnnnnnnnnnnnnnn/${index}` as TaskId);
const facesOf = (task: TaskId): Answer => ({ ...facesAnswer([1, 0]), task });
