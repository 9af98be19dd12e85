import type { BatchId } from "@faceline/contracts/batch";
import type { Lane, TaskId } from "@faceline/contracts/ids";
import type { Report } from "@faceline/contracts/report";

export type Worker = {
  id: string;
  report: Report;
  reportedAt: number;
  /** Out of service until its next report: a batch of it was overdue. */
  suspect: boolean;
};

/** A batch that was sent and has not come to an end. One that is lost may still end: its answers are as good. */
export type SentBatch = {
  id: BatchId;
  lane: Lane;
  tasks: TaskId[];
  attempt: number;
  worker: string;
  /** The worker has reported it. Until then it is on its way, and the worker's state does not show it. */
  received: boolean;
  predictedRunMs: number;
  /** Not received by then, it counts as lost. */
  receiveBy: number;
  lost: boolean;
  /** Its tasks were lost with a worker before: nothing is staged behind it. */
  suspicious: boolean;
};

/** A worker that says nothing for so long is out until its next report. */
export const silenceMaxMs = 1_000;

/** A worker that has been silent for so long is forgotten: a new process has a new id. */
export const forgetAfterMs = 60_000;

/** A batch may run over its prediction by this, or by three times the prediction, whichever is more. */
const overrunMinMs = 2_000;
export const overrunMs = (predictedRunMs: number): number => Math.max(overrunMinMs, 3 * predictedRunMs);

export const silent = (worker: Worker, now: number): boolean => now - worker.reportedAt >= silenceMaxMs;

export function inService(worker: Worker, now: number): boolean {
  return (
    !silent(worker, now) && !worker.suspect && !worker.report.draining && worker.report.partitions.length > 0
  );
}

export const serves = (worker: Worker, lane: Lane): boolean =>
  worker.report.lanes.some((loaded) => loaded.lane === lane);

/** The partition to produce to: a worker reads all of its own, so the lowest is as good as any. */
export const partitionOf = (worker: Worker): number => Math.min(...worker.report.partitions);

/** What a worker has to do, by its last report and by what was sent since. */
export function workload(worker: Worker, sent: Iterable<SentBatch>, now: number): Workload {
  const { running, staged } = worker.report;
  let batches = staged.length + (running === null ? 0 : 1);
  let freeAt = Math.max(now, running?.endsAt ?? now);
  let suspicious = false;
  const stagedIds = new Set(staged.map((each) => each.batch));
  for (const each of sent) {
    if (each.worker !== worker.id || each.lost) continue;
    suspicious ||= each.suspicious;
    if (each.received && !stagedIds.has(each.id)) continue;
    if (!each.received) batches++;
    freeAt += each.predictedRunMs;
  }
  return { batches, freeAt, suspicious };
}

export type Workload = {
  batches: number;
  /** When it will have run all of them. */
  freeAt: number;
  /** One of them may kill it. */
  suspicious: boolean;
};
