// Tested by deploy/e2e/kafka-outage.stack.test.ts and deploy/e2e/loss.stack.test.ts; its failure by
// scheduler-loop.test.ts and contracts/runtime/answer-delivery.test.ts.
import type { AnswerDelivery } from "@faceline/contracts/runtime/answer-delivery";
import { addressAnswer } from "@faceline/contracts/runtime/answers";
import type { Clock } from "@faceline/contracts/runtime/clock";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { TaskWait } from "@faceline/contracts/wire/timing";

/** Answers to tasks that no worker will answer: refused, expired, failed. */
export type AnswerOutbox = {
  /** Calls `onEnded` with tasks as their answers are delivered or pass their deadlines. Never throws. */
  send(answers: OwnAnswer[], decidedAt: number, onEnded: OnEnded): Promise<void>;
};

type OwnAnswer = { task: BatchTask; outcome: Outcome; waited: TaskWait };
type OnEnded = (tasks: TaskId[]) => void;

export const openAnswerOutbox = (delivery: AnswerDelivery, clock: Clock): AnswerOutbox => ({
  send(answers, decidedAt, onEnded) {
    const publishedAt = clock.now();
    const own = { prepareMs: 0, runMs: 0, answerMs: publishedAt - decidedAt, publishedAt };
    const addressed = answers.map(({ task, outcome, waited }) => {
      const timing = { ...waited, ...own };
      return addressAnswer({ task: task.id, outcome, timing }, task.ingress, task.deadlineAt);
    });
    return delivery.deliver(addressed, onEnded);
  },
});
