import type { BatchTask } from "@faceline/contracts/wire/batch";
import { requestIdOf, type TaskId } from "@faceline/contracts/wire/ids";
import { tasksTopic } from "@faceline/contracts/wire/names";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { TaskWait } from "@faceline/contracts/wire/timing";
import type { AnswerDelivery } from "@faceline/runtime/answer-delivery";
import { addressAnswer } from "@faceline/runtime/answers";
import type { Clock } from "@faceline/runtime/clock";
import type { DeadLetters } from "@faceline/runtime/dead-letters";
import type { DedupedLog } from "@faceline/runtime/deduped-log";
import { logUnserved } from "@faceline/runtime/unserved-log";

/**
 * Answers to tasks that no worker will answer: refused, expired, failed. Each call leaves a line in the log.
 * A task that failed, because its image breaks every run or kills its worker, leaves a dead letter.
 */
export type AnswerOutbox = {
  /** Calls `onEnded` with tasks as their answers are delivered or pass their deadlines. Never throws. */
  send(answers: OwnAnswer[], decidedAt: number, onEnded: OnEnded): Promise<void>;
};

type AnswerOutboxParts = {
  delivery: AnswerDelivery;
  clock: Clock;
  pool: string;
  deadLetters: Pick<DeadLetters, "record">;
  dedupedLog: Pick<DedupedLog, "warn" | "error">;
};

type OwnAnswer = { task: BatchTask; tenant: string | undefined; outcome: Outcome; waited: TaskWait };
type OnEnded = (tasks: TaskId[]) => void;

export const openAnswerOutbox = ({
  delivery,
  clock,
  pool,
  deadLetters,
  dedupedLog,
}: AnswerOutboxParts): AnswerOutbox => ({
  send(answers, decidedAt, onEnded) {
    logUnserved(dedupedLog, answers);
    for (const { task, outcome } of answers) {
      if (outcome.kind !== "failed") continue;
      const { id, traceparent } = task;
      const requestId = requestIdOf(id);
      deadLetters.record({
        topic: tasksTopic(pool),
        task: id,
        requestId,
        traceparent,
        reason: outcome.reason,
      });
    }
    const publishedAt = clock.now();
    const own = { prepareMs: 0, runMs: 0, answerMs: publishedAt - decidedAt, publishedAt };
    const addressed = answers.map(({ task, outcome, waited }) => {
      const timing = { ...waited, ...own };
      return addressAnswer({ task: task.id, outcome, timing, build: null }, task.ingress, task.deadlineAt);
    });
    return delivery.deliver(addressed, onEnded);
  },
});
