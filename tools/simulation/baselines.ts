// Common schedulers, in the same simulation: one queue in the order of arrival, and no refusal before a
// worker is free. All drop tasks past their deadline, which is more than most implementations do.
import type { Move } from "@faceline/batcher/scheduling/state/state";
import type { BatchId, BatchTask } from "@faceline/contracts/wire/batch";
import { batchTasks } from "@faceline/contracts/wire/batch";
import { noWait } from "@faceline/contracts/wire/timing";
import { lane, type NewScheduler, type Scheduler } from "./scenario.ts";
import { simulatedBuild } from "./worker-model.ts";

/** An idle worker gets all that waits: the twenty lines that most services begin with. */
export const eager = (waitMaxMs = Number.POSITIVE_INFINITY): NewScheduler =>
  queueing({ inFlightMax: 1, waitMaxMs });

/**
 * Two batches in flight for each worker, as Triton can. Tasks that waited longer than `waitMaxMs` are
 * dropped.
 */
export const twoInFlight = (waitMaxMs = Number.POSITIVE_INFINITY): NewScheduler =>
  queueing({ inFlightMax: 2, waitMaxMs });

function queueing({ inFlightMax, waitMaxMs }: { inFlightMax: number; waitMaxMs: number }): NewScheduler {
  return ({ workers }) => {
    const queue: BatchTask[] = [];
    const inFlight = workers.map(() => new Map<BatchId, BatchTask[]>());
    let batchCount = 0;
    const decide: Scheduler["decide"] = (event, now) => {
      const moves: Move[] = [];
      if (event.kind === "arrive") {
        queue.push(...batchTasks(event.call));
      }
      if (event.kind === "report") {
        for (const { batch } of event.report.finished) {
          for (const batches of inFlight) {
            const tasks = batches.get(batch);
            if (batches.delete(batch)) moves.push({ kind: "ended", tasks: tasks!.map((task) => task.id) });
          }
        }
      }
      while (queue.length > 0 && now > Math.min(queue[0]!.deadlineAt, queue[0]!.arrivedAt + waitMaxMs)) {
        const task = queue.shift()!;
        const outcome = {
          kind: "shed",
          reason: "deadline_infeasible",
          predictedMs: 0,
          retryAfterMs: 0,
        } as const;
        moves.push({ kind: "answer", task, tenant: undefined, lane, outcome, waited: noWait });
      }
      for (const [partition, batches] of inFlight.entries()) {
        if (queue.length === 0 || batches.size >= inFlightMax) continue;
        const { sizes, alpha, beta } = workers[partition]!;
        const tasks = queue.splice(0, sizes.at(-1));
        const id = `batcher-0000000000000000/${++batchCount}` as BatchId;
        batches.set(id, tasks);
        const predictedRunMs = alpha + beta * tasks.length;
        const batch = {
          id,
          lane,
          digest: simulatedBuild.digest,
          reason: "full",
          attempt: 1,
          sentAt: now,
          predictedRunMs,
          tasks,
        } as const;
        const predictedEndAt = now + predictedRunMs;
        const worker = `${partition}`;
        moves.push({ kind: "dispatch", partition, batch, worker, paddedSize: tasks.length, predictedEndAt });
      }
      return moves;
    };
    return { decide };
  };
}
