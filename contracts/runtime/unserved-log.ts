import { isSampled, readTraceparent } from "../src/trace/span.ts";
import type { BatchTask } from "../src/wire/batch.ts";
import { callIdOf, requestIdOf } from "../src/wire/ids.ts";
import type { Outcome } from "../src/wire/outcome.ts";
import type { LineFacts, RepeatedLog } from "./repeated-log.ts";

/**
 * Writes a line for each call with tasks that were shed, came too late or failed. To be called by the service
 * that decided so: its line says why a client got 502, 503 or 504.
 */
export function logUnserved(log: Pick<RepeatedLog, "warn" | "error">, ends: End[]): void {
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
        const facts = { ...factsOf(own, reason), budgetMs, predictedMs, retryAfterMs };
        log.warn(facts, "a call was refused or dropped under load");
        break;
      }
      case "expired": {
        const facts = { ...factsOf(own, outcome.kind), task: task.id, lateByMs: outcome.lateByMs };
        log.warn(facts, "a task was still waiting at its deadline");
        break;
      }
      case "failed":
        log.error({ ...factsOf(own, outcome.reason), task: task.id }, "a task failed");
        break;
    }
  }
}

function factsOf(ends: End[], reason: string): LineFacts {
  const { id, traceparent } = ends[0]!.task;
  const facts = { reason, requestIds: [requestIdOf(id)], tasks: ends.length };
  return isSampled(traceparent) ? { ...facts, trace_id: readTraceparent(traceparent).traceId } : facts;
}

type End = {
  task: Pick<BatchTask, "id" | "traceparent" | "arrivedAt" | "deadlineAt">;
  outcome: Outcome;
};
