import { markReceived } from "@faceline/runtime/answers";
import { bestEffort } from "@faceline/runtime/best-effort";
import type { Log } from "@faceline/runtime/log";
import { readMessage, readValue } from "@faceline/runtime/message";
import type { RedisConnection, VolatileServer } from "@faceline/runtime/redis";
import { subscribe } from "@faceline/runtime/redis-subscription";
import { Answer } from "@faceline/contracts/wire/answer";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { answerKey, answersChannel } from "@faceline/contracts/wire/names";
import * as z from "zod";

/**
 * The notification of an answer that is pending this long may be lost: its key is read, and again as often as
 * this.
 */
const lookupEveryMs = 500;

/** The keys of pending answers that one MGET reads. */
const lookupKeysMax = 500;

/**
 * Receives the answers that are addressed to this process. Redis pub/sub forgets what a broken connection
 * missed, so the keys of pending answers are read after a reconnect and twice a second. The first answer to a
 * task counts; all later ones are ignored, which makes redelivery harmless.
 *
 * Answers are replaced in Redis by markers as they are received, also after the end of their call: so
 * embeddings stay there no longer than the call runs.
 */
export async function openAnswerInbox({
  config,
  ingress,
  redis,
  log,
}: AnswerInboxParts): Promise<AnswerInbox> {
  const subscribed = new Map<TaskId, Subscription>();

  const receive = (answers: readonly Answer[]): void => {
    // A second answer would put another build into the marker of the first.
    const first = answers.filter(({ task }) => subscribed.get(task)?.isAnswered !== true);
    for (const answer of first) {
      const subscription = subscribed.get(answer.task);
      if (subscription === undefined) continue;
      subscription.isAnswered = true;
      subscription.resolve(answer);
    }
    // An answer that cannot be replaced now expires with its TTL.
    if (first.length > 0) bestEffort("answer_removal", markReceived(redis, first));
  };

  const lookUpPending = async (olderThanMs: number): Promise<void> => {
    const pendingSince = performance.now() - olderThanMs;
    const tasks = [...subscribed].flatMap(([task, { isAnswered, since }]) =>
      !isAnswered && since <= pendingSince ? [task] : [],
    );
    for (let start = 0; start < tasks.length; start += lookupKeysMax) {
      const values = await redis.mgetBuffer(tasks.slice(start, start + lookupKeysMax).map(answerKey));
      const messages = values.flatMap((value) => (value === null ? [] : [readMessage(Answer, value)]));
      receive(messages.flatMap((message) => (message.ok ? [message.value] : [])));
    }
  };
  const lookUp = (olderThanMs: number) => bestEffort("pending_answers_lookup", lookUpPending(olderThanMs));

  const subscription = await subscribe(
    config,
    [answersChannel(ingress)],
    (bytes) => {
      const { answers, reasons } = readAnswers(bytes);
      receive(answers);
      if (reasons.length > 0)
        log.error({ count: reasons.length, reason: reasons[0] }, "answers could not be read");
    },
    () => lookUp(0),
  );
  const timer = setInterval(() => lookUp(lookupEveryMs), lookupEveryMs);

  return {
    connected: subscription.connected,
    isHealthy: subscription.isHealthy,
    subscribe(tasks) {
      const since = performance.now();
      const answers = tasks.map((task) => {
        const { promise, resolve } = Promise.withResolvers<Answer>();
        subscribed.set(task, { resolve, since, isAnswered: false });
        return promise;
      });
      return {
        answers,
        [Symbol.dispose]() {
          for (const task of tasks) subscribed.delete(task);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await subscription[Symbol.asyncDispose]();
    },
  };
}

/**
 * Reads a message of the channel. Returns its answers, and a reason for each one that could not be read,
 * which says nothing of its content. The calls of the others are not affected.
 */
export function readAnswers(bytes: Buffer): { answers: Answer[]; reasons: string[] } {
  const list = readMessage(AnyList, bytes);
  if (!list.ok) return { answers: [], reasons: [list.reason] };
  const read = list.value.map((each) => readValue(Answer, each));
  return {
    answers: read.flatMap((each) => (each.ok ? [each.value] : [])),
    reasons: read.flatMap((each) => (each.ok ? [] : [each.reason])),
  };
}

const AnyList = z.array(z.unknown()).min(1);

type Subscription = { resolve(answer: Answer): void; since: number; isAnswered: boolean };

type AnswerInboxParts = { config: VolatileServer; ingress: string; redis: RedisConnection; log: Log };

export type AnswerInbox = AsyncDisposable & {
  /**
   * `answers` has a promise for each task, in their order. To be called before the tasks are sent, because a
   * fast worker may answer at once. Disposing ends the subscription.
   */
  subscribe(tasks: TaskId[]): Disposable & { answers: Promise<Answer>[] };
  /** Whether answers can be received now. */
  connected(): boolean;
  /** False while they cannot, and the server is to blame. */
  isHealthy(): boolean;
};
