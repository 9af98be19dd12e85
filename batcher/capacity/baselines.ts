import type { BatchId, BatchTask } from "@faceline/contracts/wire/batch";
import type { Move } from "../src/scheduling/state.ts";
import { lane, type NewScheduler } from "./simulation.ts";

// What people use instead, in the same surroundings: one queue in the order of arrival, and nobody told before a worker
// is free that he waits in vain. All drop what is past its deadline, which is more than most of them do.

/** A worker gets what waits whenever it has nothing: the twenty lines that most services begin with. */
export const eager = (waitMaxMs = Number.POSITIVE_INFINITY): NewScheduler =>
  queueing({ inFlightMax: 1, waitMaxMs });

/** Two batches in flight for each worker (as Triton can). Tasks that waited longer than the time-out are dropped. */
export const twoInFlight = (waitMaxMs = Number.POSITIVE_INFINITY): NewScheduler =>
  queueing({ inFlightMax: 2, waitMaxMs });

function queueing({ inFlightMax, waitMaxMs }: { inFlightMax: number; waitMaxMs: number }): NewScheduler {
  return ({ workers }) => {
    const queue: BatchTask[] = [];
    const inFlight = workers.map(() => new Map<BatchId, BatchTask[]>());
    let batches = 0;
    return (event, now) => {
      const moves: Move[] = [];
      if (event.kind === "arrive") {
        const { ingress, arrivedAt, deadlineAt, options, traceparent } = event.call;
        queue.push(
          ...event.call.tasks.map((id) => ({ id, ingress, arrivedAt, deadlineAt, options, traceparent })),
        );
      }
      if (event.kind === "report") {
        for (const { batch } of event.report.finished) {
          for (const held of inFlight) {
            const tasks = held.get(batch);
            if (held.delete(batch)) moves.push({ kind: "ended", tasks: tasks!.map((task) => task.id) });
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
        moves.push({ kind: "answer", task, outcome });
      }
      for (const [partition, held] of inFlight.entries()) {
        if (queue.length === 0 || held.size >= inFlightMax) continue;
        const { sizes, alpha, beta } = workers[partition]!;
        const tasks = queue.splice(0, sizes.at(-1));
        const id = `batcher-0000000000000000/${++batches}` as BatchId;
        held.set(id, tasks);
        const predictedRunMs = alpha + beta * tasks.length;
        const batch = { id, lane, reason: "full", attempt: 1, sentAt: now, predictedRunMs, tasks } as const;
        moves.push({ kind: "dispatch", partition, batch });
      }
      return moves;
    };
  };
}
