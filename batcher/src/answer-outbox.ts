// Tested by deploy/e2e/kafka-outage.stack.test.ts and deploy/e2e/loss.stack.test.ts; its failure by
// scheduler-loop.test.ts and contracts/runtime/answer-delivery.test.ts.
import type { AnswerDelivery } from "@faceline/contracts/runtime/answer-delivery";
import { addressAnswer } from "@faceline/contracts/runtime/answers";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";

/** Answers to tasks that no worker will answer: refused, expired, failed. */
export type AnswerOutbox = {
  /** Calls `onEnded` with tasks as their answers are delivered or pass their deadlines. Never throws. */
  send(answers: { task: BatchTask; outcome: Outcome }[], now: number, onEnded: OnEnded): Promise<void>;
};

type OnEnded = (tasks: TaskId[]) => void;

export const openAnswerOutbox = (delivery: AnswerDelivery): AnswerOutbox => ({
  send(answers, now, onEnded) {
    const addressed = answers.map(({ task, outcome }) => {
      const timing = { queueMs: Math.max(0, now - task.arrivedAt), batchMs: 0, inferMs: 0 };
      return addressAnswer({ task: task.id, outcome, timing, build: null }, task.ingress, task.deadlineAt);
    });
    return delivery.deliver(addressed, onEnded);
  },
});
