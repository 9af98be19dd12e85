import type { Log } from "@faceline/contracts/runtime/log";
import { readMessage } from "@faceline/contracts/runtime/message";
import { type RedisConnection, subscribe, type VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import { Answer, Answers } from "@faceline/contracts/wire/answer";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { answerKey, answersChannel } from "@faceline/contracts/wire/names";

/** What has waited this long may have been missed: its key is looked up, as often as this. */
const sweepEveryMs = 500;

/** Keys a sweep asks for at once. */
const sweepKeysMax = 500;

/**
 * Hears the answers that are meant for this ingress. The bell is pub/sub, which forgets: so after a reconnect, and
 * twice a second for what has waited longest, the answers' keys are read. The first answer to a task is taken and every
 * further one ignored, which makes redelivery harmless.
 */
export async function openAnswerInbox({
  config,
  ingress,
  redis,
  log,
}: AnswerInboxParts): Promise<AnswerInbox> {
  const waiting = new Map<TaskId, { hear(answer: Answer): void; since: number }>();

  const hear = (answer: Answer): void => {
    waiting.get(answer.task)?.hear(answer);
    waiting.delete(answer.task);
  };

  const sweep = async (olderThanMs: number): Promise<void> => {
    const bornBefore = performance.now() - olderThanMs;
    const tasks = [...waiting].filter(([, each]) => each.since <= bornBefore).map(([task]) => task);
    for (let at = 0; at < tasks.length; at += sweepKeysMax) {
      const found = await redis.mgetBuffer(tasks.slice(at, at + sweepKeysMax).map(answerKey));
      for (const value of found) {
        const read = value === null ? undefined : readMessage(Answer, value);
        if (read?.ok) hear(read.value);
      }
    }
  };

  const bell = await subscribe(
    config,
    [answersChannel(ingress)],
    (message) => {
      const read = readMessage(Answers, message);
      if (read.ok) for (const answer of read.value) hear(answer);
      else log.error({ reason: read.reason }, "answers could not be read");
    },
    () => void sweep(0).catch(() => {}),
  );
  const timer = setInterval(() => void sweep(sweepEveryMs).catch(() => {}), sweepEveryMs);

  return {
    connected: bell.connected,
    listen(tasks) {
      const since = performance.now();
      const heard = tasks.map((task) => {
        const { promise, resolve } = Promise.withResolvers<Answer>();
        waiting.set(task, { hear: resolve, since });
        return promise;
      });
      return {
        answers: Promise.all(heard),
        [Symbol.dispose]() {
          for (const task of tasks) waiting.delete(task);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await bell[Symbol.asyncDispose]();
    },
  };
}

type AnswerInboxParts = { config: VolatileRedisConfig; ingress: string; redis: RedisConnection; log: Log };

export type AnswerInbox = AsyncDisposable & {
  /** Listen before asking: a fast worker must not answer into an empty room. Answers come in the order of the tasks. */
  listen(tasks: TaskId[]): Disposable & { answers: Promise<Answer[]> };
  connected(): boolean;
};
