import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import type { Answer } from "../src/wire/answer.ts";
import type { TaskId } from "../src/wire/ids.ts";
import { answerKey, answersChannel } from "../src/wire/names.ts";
import { publishAnswers } from "./answers.ts";
import { readConfig } from "./config.ts";
import { openLog } from "./log.ts";
import { newProcessId } from "./process.ts";
import { connectVolatileRedis, subscribe, VolatileRedisConfig } from "./redis.ts";

const config = readConfig(VolatileRedisConfig, process.env);
const log = openLog("test", "silent");

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
  await publishAnswers(
    redis,
    [
      { ingress: here, deadlineAt: now + 1_000, answer: expired },
      { ingress: here, deadlineAt: now + 1_000, answer: answer(b!, { kind: "expired", lateByMs: 1 }) },
      {
        ingress: elsewhere,
        deadlineAt: now + 1_000,
        answer: answer(other!, { kind: "expired", lateByMs: 1 }),
      },
    ],
    now,
    log,
  );
  const second = answer(a!, { kind: "failed", reason: "run_failed" });
  await publishAnswers(redis, [{ ingress: here, deadlineAt: now + 1_000, answer: second }], now, log);
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

const answer = (task: TaskId, outcome: Answer["outcome"]): Answer => ({
  task,
  outcome,
  timing: { queueMs: 0, batchMs: 0, inferMs: 0 },
});
