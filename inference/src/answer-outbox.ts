import type { AnswerDelivery } from "@faceline/runtime/answer-delivery";
import { addressAnswer } from "@faceline/runtime/answers";
import type { Clock } from "@faceline/runtime/clock";
import type { DedupedLog } from "@faceline/runtime/deduped-log";
import { logUnserved } from "@faceline/runtime/unserved-log";
import type { BatchId, BatchTask } from "@faceline/contracts/wire/batch";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { TaskTiming } from "@faceline/contracts/wire/timing";

/**
 * Publishes the answers to the tasks of a batch. Resolves when each is delivered or past its deadline. Tasks
 * that came too late or lost their image leave a line in the log. Never throws.
 */
export type AnswerOutbox = { send(completed: CompletedTask[], batch: BatchId): Promise<void> };

/** `ranAt`: when its run ended, or would have ended. */
export type CompletedTask = {
  task: BatchTask;
  outcome: Outcome;
  timing: Omit<TaskTiming, "answerMs" | "publishedAt">;
  build: LaneBuild;
  ranAt: number;
};

export const openAnswerOutbox = (
  delivery: AnswerDelivery,
  clock: Clock,
  dedupedLog: Pick<DedupedLog, "warn" | "error">,
): AnswerOutbox => ({
  send(completed, batch) {
    logUnserved(dedupedLog, completed, batch);
    const publishedAt = clock.now();
    const answers = completed.map(({ task, outcome, timing, build, ranAt }) => {
      const whole = { ...timing, answerMs: publishedAt - ranAt, publishedAt };
      return addressAnswer({ task: task.id, outcome, timing: whole, build }, task.ingress, task.deadlineAt);
    });
    return delivery.deliver(answers);
  },
});
