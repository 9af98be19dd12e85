// Tested by contracts/runtime/answer-delivery.test.ts and by every test in deploy/e2e.
import type { AnswerDelivery } from "@faceline/contracts/runtime/answer-delivery";
import { addressAnswer } from "@faceline/contracts/runtime/answers";
import type { Clock } from "@faceline/contracts/runtime/clock";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { TaskTiming } from "@faceline/contracts/wire/timing";

/**
 * Publishes the answers to the tasks of a batch. Resolves when each is delivered or past its deadline. Never
 * throws.
 */
export type AnswerOutbox = { send(ends: TaskEnd[]): Promise<void> };

/** `ranAt`: when its run ended, or would have ended. */
export type TaskEnd = {
  task: BatchTask;
  outcome: Outcome;
  timing: Omit<TaskTiming, "answerMs" | "publishedAt">;
  ranAt: number;
};

export const openAnswerOutbox = (delivery: AnswerDelivery, clock: Clock): AnswerOutbox => ({
  send(ends) {
    const publishedAt = clock.now();
    const answers = ends.map(({ task, outcome, timing, ranAt }) => {
      const whole = { ...timing, answerMs: publishedAt - ranAt, publishedAt };
      return addressAnswer({ task: task.id, outcome, timing: whole }, task.ingress, task.deadlineAt);
    });
    return delivery.deliver(answers);
  },
});
