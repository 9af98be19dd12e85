import { setTimeout as sleep } from "node:timers/promises";
import { publishAnswers } from "@faceline/contracts/runtime/answers";
import type { Clock } from "@faceline/contracts/runtime/clock";
import type { Log } from "@faceline/contracts/runtime/log";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import type { Answer, TaskTiming } from "@faceline/contracts/wire/answer";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { Outcome } from "@faceline/contracts/wire/outcome";

const retryDelayMs = 100;

/** Publishes the answers to the tasks of a batch, in one round trip. */
export type AnswerOutbox = { send(ends: TaskEnd[]): Promise<void> };

export type TaskEnd = { task: BatchTask; outcome: Outcome; timing: TaskTiming };

/**
 * Retries while Redis is away, until the last deadline of the batch: then nobody waits any more, and the
 * answers are dropped. The end-to-end tests cover it.
 */
export function openAnswerOutbox(redis: RedisConnection, clock: Clock, log: Log): AnswerOutbox {
  return {
    async send(ends) {
      const lastDeadlineAt = Math.max(...ends.map(({ task }) => task.deadlineAt));
      const answers = ends.map(({ task, outcome, timing }) => {
        const answer: Answer = { task: task.id, outcome, timing };
        return { ingress: task.ingress, deadlineAt: task.deadlineAt, answer };
      });
      for (;;) {
        try {
          return await publishAnswers(redis, answers, clock.now(), log);
        } catch (error) {
          if (clock.now() + retryDelayMs > lastDeadlineAt) {
            log.error(
              { tasks: ends.length, reason: (error as Error).message },
              "answers were dropped at their deadline",
            );
            return;
          }
        }
        await sleep(retryDelayMs);
      }
    },
  };
}
