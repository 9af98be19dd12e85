import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import { noWait } from "@faceline/contracts/wire/timing";
import type { CompletedTask } from "./answer-outbox.ts";
import type { PreparedBatch } from "./preparation.ts";

export type ReceivedBatch = Batch & { receivedAt: number };

/**
 * Returns how all tasks of a batch ended: first those that ended during preparation, then those that ran,
 * each by its result.
 */
export function completeTasks(
  batch: ReceivedBatch,
  prepared: Pick<PreparedBatch, "tasks" | "completed" | "startedAt" | "endedAt">,
  { results, build, startedAt, ranAt }: BatchRun,
): CompletedTask[] {
  const completed: CompletedTask[] = [];
  const add = (task: BatchTask, outcome: Outcome) => {
    completed.push({
      task,
      outcome,
      timing: timingOf(task, batch, prepared, { startedAt, ranAt }),
      build,
      ranAt,
    });
  };
  for (const { task, outcome } of prepared.completed) add(task, outcome);
  for (const [index, outcome] of results.entries()) add(prepared.tasks[index]!, outcome);
  return completed;
}

/** Adds what this worker measured to the waits of a task. */
function timingOf(
  { waited = noWait }: BatchTask,
  { sentAt, receivedAt }: ReceivedBatch,
  prepared: Pick<PreparedBatch, "startedAt" | "endedAt">,
  { startedAt, ranAt }: Pick<BatchRun, "startedAt" | "ranAt">,
): CompletedTask["timing"] {
  const behindOthersMs = prepared.startedAt - receivedAt + (startedAt - prepared.endedAt);
  return {
    ...waited,
    hopMs: waited.hopMs + (receivedAt - sentAt),
    queueMs: waited.queueMs + behindOthersMs,
    prepareMs: prepared.endedAt - prepared.startedAt,
    runMs: ranAt - startedAt,
  };
}

/** `results`: one for each task that was prepared, in their order. `build`: what ran. */
type BatchRun = { results: readonly Outcome[]; build: LaneBuild; startedAt: number; ranAt: number };
