import type { Answer } from "@faceline/contracts/wire/answer";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { answerKey, answersChannel } from "@faceline/contracts/wire/names";
import type { RedisConnection } from "./redis.ts";

/**
 * TTL of an answer beyond its deadline, so that a batcher that takes over still sees that its task has ended.
 */
const answerGraceMs = 10_000;

/** Returns an answer as it is stored and published; its ingress waits for it until `deadlineAt`. */
export function addressAnswer(answer: Answer, ingress: string, deadlineAt: number): AddressedAnswer {
  return { task: answer.task, ingress, deadlineAt, json: JSON.stringify(answer) };
}

/**
 * Stores answers where the ingress looks for them and publishes them on its channel. Returns those that were
 * not delivered: neither stored, nor published to an ingress that listens. Never throws: without a server
 * none is.
 *
 * A pipeline, not a MULTI: where the server is full, SET fails and PUBLISH still delivers. NX: the first
 * answer stands, so a batch that runs twice changes nothing. One PUBLISH per ingress: it is the more
 * expensive command.
 */
export async function publishAnswers(
  redis: AnswersRedis,
  answers: AddressedAnswer[],
  now: number,
): Promise<Publication> {
  const pipeline = redis.pipeline();
  for (const { task, deadlineAt, json } of answers) {
    const ttlMs = Math.ceil(Math.max(0, deadlineAt - now) + answerGraceMs);
    pipeline.set(answerKey(task), json, "PX", ttlMs, "NX");
  }
  const byIngress = Map.groupBy(answers, (each) => each.ingress);
  for (const [ingress, own] of byIngress) {
    pipeline.publish(answersChannel(ingress), `[${own.map((each) => each.json).join()}]`);
  }
  let replies: [error: Error | null, result: unknown][];
  try {
    replies = (await pipeline.exec()) ?? [];
  } catch (error) {
    return { undelivered: answers, reason: (error as Error).message };
  }
  const receivedBy = new Set<string>();
  for (const [index, ingress] of [...byIngress.keys()].entries()) {
    const [error, receivers] = replies[answers.length + index] ?? noReply;
    if (error === null && Number(receivers) > 0) receivedBy.add(ingress);
  }
  const undelivered = answers.filter(({ ingress }, index) => {
    const [error] = replies[index] ?? noReply;
    return error !== null && !receivedBy.has(ingress);
  });
  return { undelivered, reason: replies.find(([error]) => error !== null)?.[0]?.message };
}

/**
 * Replaces answers that their ingress has received by markers: faces and embeddings leave Redis, and until
 * the answers would have expired, no later answer takes their place. A marker has the build, because a
 * batcher that takes over keeps the rest of the request on it.
 */
export async function markReceived(
  redis: Pick<RedisConnection, "set">,
  answers: readonly Answer[],
): Promise<void> {
  const markers = answers.map(({ task, build }) => [answerKey(task), JSON.stringify({ build })] as const);
  await Promise.all(markers.map(([key, marker]) => redis.set(key, marker, "KEEPTTL", "XX")));
}

/**
 * Marks tasks whose call has ended without their answers: an empty text stands in the place of each, as long
 * as an answer would. It replaces an answer that the ingress has not received, since nobody waits for it.
 */
export async function markCancelled(
  redis: Pick<RedisConnection, "set">,
  tasks: readonly TaskId[],
  remainingMs: number,
): Promise<void> {
  const ttlMs = Math.ceil(Math.max(0, remainingMs) + answerGraceMs);
  await Promise.all(tasks.map((task) => redis.set(answerKey(task), "", "PX", ttlMs)));
}

/** Returns how each task has already ended; undefined: it has not, or nobody knows. Never throws. */
export async function taskEnds(redis: AnswersRedis, tasks: readonly TaskId[]): Promise<TaskEnd[]> {
  const pipeline = redis.pipeline();
  // GET, because STRLEN is 0 for an empty text and for no key. Most answers are markers by now.
  for (const task of tasks) pipeline.getBuffer(answerKey(task));
  const replies = (await pipeline.exec().catch(() => null)) ?? [];
  return tasks.map((_, index) => {
    const value = replies[index]?.[1];
    if (!(value instanceof Buffer)) return undefined;
    return value.length === 0 ? "cancelled" : "superseded";
  });
}

/** `superseded`: another run has answered it. */
export type TaskEnd = "cancelled" | "superseded" | undefined;

const noReply: [Error, unknown] = [new Error("no response"), undefined];

export type AddressedAnswer = { task: TaskId; ingress: string; deadlineAt: number; json: string };

type Publication = {
  undelivered: AddressedAnswer[];
  /** The first error of a command; undefined if all succeeded. */
  reason: string | undefined;
};

export type AnswersRedis = Pick<RedisConnection, "pipeline">;
