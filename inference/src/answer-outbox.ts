// Tested by contracts/runtime/answer-delivery.test.ts and by every test in deploy/e2e.
import type { AnswerDelivery } from "@faceline/contracts/runtime/answer-delivery";
import { addressAnswer } from "@faceline/contracts/runtime/answers";
import type { RepeatedLog } from "@faceline/contracts/runtime/repeated-log";
import { logUnserved } from "@faceline/contracts/runtime/unserved-log";
import type { TaskTiming } from "@faceline/contracts/wire/answer";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { Outcome } from "@faceline/contracts/wire/outcome";

/**
 * Publishes the answers to the tasks of a batch. Resolves when each is delivered or past its deadline. Tasks
 * that came too late or lost their image leave a line in the log. Never throws.
 */
export type AnswerOutbox = { send(ends: TaskEnd[]): Promise<void> };

export type TaskEnd = { task: BatchTask; outcome: Outcome; timing: TaskTiming; build: LaneBuild };

export const openAnswerOutbox = (
  delivery: AnswerDelivery,
  lines: Pick<RepeatedLog, "warn" | "error">,
): AnswerOutbox => ({
  send(ends) {
    logUnserved(lines, ends);
    const answers = ends.map(({ task, outcome, timing, build }) =>
      addressAnswer({ task: task.id, outcome, timing, build }, task.ingress, task.deadlineAt),
    );
    return delivery.deliver(answers);
  },
});
