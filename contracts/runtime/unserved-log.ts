import { callIdOf, requestIdOf, type TaskId } from "../src/wire/ids.ts";
import type { Outcome } from "../src/wire/outcome.ts";
import type { RepeatedLog } from "./repeated-log.ts";

/**
 * Writes a line for each call with tasks that were shed, came too late or failed. To be called by the service
 * that decided so: its line says why a client got 502, 503 or 504.
 */
export function logUnserved(
  log: Pick<RepeatedLog, "warn" | "error">,
  ends: { task: { id: TaskId }; outcome: Outcome }[],
): void {
  const written = new Set<string>();
  for (const { task, outcome } of ends) {
    const key = `${callIdOf(task.id)} ${outcome.kind}`;
    if (written.has(key)) continue;
    written.add(key);
    const requestIds = [requestIdOf(task.id)];
    switch (outcome.kind) {
      case "faces":
      case "rejected":
        break;
      case "shed": {
        const { reason, predictedMs, retryAfterMs } = outcome;
        log.warn(
          { reason, requestIds, predictedMs, retryAfterMs },
          "a call was refused or dropped under load",
        );
        break;
      }
      case "expired":
        log.warn(
          { reason: outcome.kind, requestIds, task: task.id, lateByMs: outcome.lateByMs },
          "a task was still waiting at its deadline",
        );
        break;
      case "failed":
        log.error({ reason: outcome.reason, requestIds, task: task.id }, "a task failed");
        break;
    }
  }
}
