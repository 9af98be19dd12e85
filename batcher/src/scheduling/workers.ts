import type { BatchId } from "@faceline/contracts/wire/batch";
import type { LaneId, TaskId } from "@faceline/contracts/wire/ids";
import type { Report } from "@faceline/contracts/wire/report";

export type Worker = {
  id: string;
  report: Report;
  reportedAt: number;
  /** That it holds by its report, less those that another has claimed since. */
  partitions: number[];
  /** Out of service until its next report: a batch of it was overdue. */
  suspect: boolean;
};

/** A batch that was sent and has not come to an end. One that is lost may still end: its answers are as good. */
export type SentBatch = {
  id: BatchId;
  lane: LaneId;
  tasks: TaskId[];
  attempt: number;
  worker: string;
  /** By another batcher, before this one took over. */
  adopted: boolean;
  sentAt: number;
  /** The worker has reported it. Until then it is on its way, and the worker's state does not show it. */
  received: boolean;
  predictedRunMs: number;
  /** What it may take longer than predicted where its pictures show crowds: predictions count pictures, not faces. */
  crowdMs: number;
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

/** Aligning and embedding one face on a slow core. */
const faceMs = 30;
export const crowdMs = (tasks: { options: { facesMax: number } }[]): number =>
  tasks.reduce((sum, { options }) => sum + faceMs * options.facesMax, 0);

export const silent = (worker: Worker, now: number): boolean => now - worker.reportedAt >= silenceMaxMs;

export function inService(worker: Worker, now: number): boolean {
  return !silent(worker, now) && !worker.suspect && !worker.report.draining && worker.partitions.length > 0;
}

/** The largest batch of this lane that the worker takes; 0: it has not loaded the lane. */
export function sizeMaxOf(worker: Worker, lane: LaneId): number {
  for (const loaded of worker.report.lanes) if (loaded.lane === lane) return loaded.sizes.at(-1)!.size;
  return 0;
}

/** The partition to produce to: a worker reads all of its own, so the lowest is as good as any. */
export const partitionOf = (worker: Worker): number => Math.min(...worker.partitions);

/** What the workers that serve this lane have to do, by their last reports and by what was sent since. */
export function workloads({ workers, sent }: Pool, lane: LaneId, now: number): Workload[] {
  const loads: Workload[] = [];
  for (const worker of workers.values()) {
    const sizeMax = sizeMaxOf(worker, lane);
    if (sizeMax === 0 || !inService(worker, now)) continue;
    const { running, staged } = worker.report;
    loads.push({
      worker,
      sizeMax,
      running: running !== null,
      staged: staged.length,
      freeAt: running === null ? now : Math.max(now, running.endsAt),
      suspicious: false,
    });
  }
  for (const each of sent.values()) {
    const load = loads.find(({ worker }) => worker.id === each.worker);
    if (load === undefined) continue;
    load.suspicious ||= each.suspicious && !each.lost;
    const onTheWay = !each.received && !each.lost;
    if (onTheWay) load.staged++;
    if (onTheWay || load.worker.report.staged.some((held) => held.batch === each.id)) {
      load.freeAt += each.predictedRunMs;
    }
  }
  return loads;
}

type Pool = { readonly workers: Map<string, Worker>; readonly sent: Map<BatchId, SentBatch> };

export type Workload = {
  worker: Worker;
  /** Of the batches of the lane that is asked about. */
  sizeMax: number;
  running: boolean;
  /** Batches behind the running one, those on their way included. */
  staged: number;
  /** When it will have run all of them. */
  freeAt: number;
  /** One of them may kill it. */
  suspicious: boolean;
};
