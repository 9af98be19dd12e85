import type { BatchId, BatchTask } from "@faceline/contracts/wire/batch";
import { callIdOf } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import { taskIds } from "./log-ids.ts";
import type { LogFields, DedupedLog } from "./deduped-log.ts";

/**
 * Writes a line for each call with tasks that were shed, came too late or failed. To be called by the service
 * that decided so: its line says why a client got 502, 503 or 504. `batch`: the batch of the tasks, where
 * they had one.
 */
export function logUnserved(log: Pick<DedupedLog, "warn" | "error">, ends: End[], batch?: BatchId): void {
  const byCall = Map.groupBy(ends, ({ task, outcome }) => `${callIdOf(task.id)} ${outcome.kind}`);
  for (const own of byCall.values()) {
    const { task, outcome } = own[0]!;
    switch (outcome.kind) {
      case "faces":
      case "rejected":
        break;
      case "shed": {
        const { reason, predictedMs, retryAfterMs } = outcome;
        const budgetMs = task.deadlineAt - task.arrivedAt;
        const fields = { ...factsOf(own, reason, batch), budgetMs, predictedMs, retryAfterMs };
        log.warn(fields, "a request was refused or dropped under load");
        break;
      }
      case "expired": {
        const fields = { ...factsOf(own, outcome.kind, batch), task: task.id, lateByMs: outcome.lateByMs };
        log.warn(fields, "a task was still waiting at its deadline");
        break;
      }
      case "failed":
        log.error({ ...factsOf(own, outcome.reason, batch), task: task.id }, "a task failed");
        break;
    }
  }
}

const factsOf = ([first, ...others]: End[], reason: string, batch: BatchId | undefined): LogFields => ({
  reason,
  ...(first!.tenant === undefined ? {} : { team: first!.tenant }),
  ...taskIds(first!.task),
  ...(batch === undefined ? {} : { batch_id: batch }),
  tasks: 1 + others.length,
});

type End = {
  task: Pick<BatchTask, "id" | "traceparent" | "arrivedAt" | "deadlineAt">;
  outcome: Outcome;
  /** Known only to a batcher. */
  tenant?: string | undefined;
};
