// Tested by deploy/e2e/kafka-outage.stack.test.ts and deploy/e2e/loss.stack.test.ts; scheduler-loop.test.ts
// covers its failure.
import { type AddressedAnswer, publishAnswers } from "@faceline/contracts/runtime/answers";
import type { Log } from "@faceline/contracts/runtime/log";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { Outcome } from "@faceline/contracts/wire/outcome";

/** Answers to tasks that no worker will answer: refused, expired, failed. */
export type AnswerOutbox = {
  /** Throws if Redis does not take them. */
  send(answers: { task: BatchTask; outcome: Outcome }[], now: number): Promise<void>;
};

export const openAnswerOutbox = (redis: RedisConnection, log: Log): AnswerOutbox => ({
  async send(answers, now) {
    const addressed = answers.map(({ task, outcome }): AddressedAnswer => {
      const timing = { queueMs: Math.max(0, now - task.arrivedAt), batchMs: 0, inferMs: 0 };
      return {
        ingress: task.ingress,
        deadlineAt: task.deadlineAt,
        answer: { task: task.id, outcome, timing },
      };
    });
    await publishAnswers(redis, addressed, now, log);
  },
});
