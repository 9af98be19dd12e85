import type { Answer } from "../src/wire/answer.ts";
import { answerKey, answersChannel } from "../src/wire/names.ts";
import type { Log } from "./log.ts";
import type { RedisConnection } from "./redis.ts";

/**
 * An answer outlives its deadline by this long: a batcher that takes over still sees that its task has ended.
 */
const answerGraceMs = 10_000;

/**
 * Lays answers where the ingress looks for them and rings its bell with the payload inside. A pipeline, not a
 * MULTI: where the server is full, SET fails and PUBLISH still delivers. NX: the first answer stands, so a
 * batch that runs twice changes nothing. One PUBLISH an ingress, not one an answer: it is the dearer command.
 *
 * Throws when the server cannot be reached: none of the answers may count as given then.
 */
export async function publishAnswers(
  redis: RedisConnection,
  answers: AddressedAnswer[],
  now: number,
  log: Log,
): Promise<void> {
  if (answers.length === 0) return;
  const pipeline = redis.pipeline();
  const written = answers.map((each) => ({ ...each, json: JSON.stringify(each.answer) }));
  for (const { answer, deadlineAt, json } of written) {
    const lastsMs = Math.ceil(Math.max(0, deadlineAt - now) + answerGraceMs);
    pipeline.set(answerKey(answer.task), json, "PX", lastsMs, "NX");
  }
  for (const [ingress, own] of Map.groupBy(written, (each) => each.ingress)) {
    pipeline.publish(answersChannel(ingress), `[${own.map((each) => each.json).join()}]`);
  }
  const replies = (await pipeline.exec()) ?? [];
  const stored = replies.slice(0, answers.length).filter(([error]) => error === null).length;
  const heard = replies.slice(answers.length).filter(([error]) => error === null).length;
  if (stored < answers.length) log.warn({ failed: answers.length - stored }, "answers were not stored");
  if (stored === 0 && heard === 0) throw new Error("no answer could be stored or published");
}

export type AddressedAnswer = { ingress: string; deadlineAt: number; answer: Answer };
