// Tested by decide.test.ts; capacity/invariant-checker.ts holds that no batch goes to a worker out of
// service.
import type { BatchId } from "@faceline/contracts/wire/batch";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { Report } from "@faceline/contracts/wire/report";
import type { SentBatch } from "./sent-batch.ts";

export type Worker = {
  id: string;
  /** Its latest report. */
  report: Report;
  reportedAt: number;
  /**
   * Partitions of the batches topic that it holds by its report, less those that another worker claimed
   * since.
   */
  partitions: number[];
  /** The batch that it prepares while nothing runs, and since when none of its images has arrived. */
  preparing: { batch: BatchId; since: number } | undefined;
  /** It fell silent, hung, or did not confirm a batch in time: out of service until its next report. */
  unresponsive: boolean;
};

/** A worker without a report for this long is out of service. */
export const silenceMaxMs = 1_000;

/** A worker that has been silent for this long is forgotten: a new process has a new id. */
export const forgetAfterMs = 60_000;

export const isSilent = (worker: Worker, now: number): boolean => now - worker.reportedAt >= silenceMaxMs;

/** Returns whether the worker may be sent batches. */
export function isInService(worker: Worker, now: number): boolean {
  return (
    !isSilent(worker, now) && !worker.unresponsive && !worker.report.draining && worker.partitions.length > 0
  );
}

/** Returns the largest batch of this lane that the worker takes; 0 if it has not loaded this build of it. */
export function sizeMaxOf(worker: Worker, { id, build }: BuiltLane): number {
  for (const loaded of worker.report.lanes) {
    if (loaded.lane === id && loaded.build.digest === build?.digest) return loaded.sizes.at(-1)!.size;
  }
  return 0;
}

/** Returns the partition to send to. A worker reads all of its own, so the lowest is as good as any. */
export const partitionOf = (worker: Worker): number => Math.min(...worker.partitions);

/**
 * Returns the load of every worker in service that has this lane loaded: its last report, and the batches
 * that were sent to it since.
 */
export function workerLoads({ workers, sent }: Pool, lane: BuiltLane, now: number): WorkerLoad[] {
  const loads: WorkerLoad[] = [];
  for (const worker of workers.values()) {
    const sizeMax = sizeMaxOf(worker, lane);
    if (sizeMax === 0 || !isInService(worker, now)) continue;
    const { running, staged } = worker.report;
    loads.push({
      worker,
      sizeMax,
      running: running !== null,
      stagedCount: staged.length,
      freeAt: running === null ? now : Math.max(now, running.endsAt),
      mayBePoison: false,
      dearMs: 0,
      holdsDear: false,
    });
  }
  for (const {
    id,
    worker,
    phase,
    mayBePoison,
    predictedRunMs,
    sentAt,
    preparedAt,
    load: sentLoad,
  } of sent.values()) {
    const load = loads.find((each) => each.worker.id === worker);
    if (load === undefined) continue;
    load.mayBePoison ||= mayBePoison && phase.kind !== "lost";
    load.holdsDear ||= phase.kind !== "lost" && sentLoad?.isDear === true;
    if (phase.kind === "travelling") load.stagedCount++;
    if (phase.kind === "travelling" || load.worker.report.staged.some((each) => each.batch === id)) {
      load.freeAt = Math.max(load.freeAt, preparedAt) + predictedRunMs;
      if (sentLoad?.isDear) load.dearMs = Math.max(load.dearMs, preparedAt - sentAt);
    }
  }
  return loads;
}

/** A build is null while no worker has reported the lane. */
type BuiltLane = { readonly id: LaneId; readonly build: LaneBuild | null };
type Pool = { readonly workers: Map<string, Worker>; readonly sent: Map<BatchId, SentBatch> };

/** What one worker has to do. */
export type WorkerLoad = {
  worker: Worker;
  /** Largest batch of the lane in question that it takes. */
  sizeMax: number;
  running: boolean;
  /** Batches behind the running one, those that are still travelling included. */
  stagedCount: number;
  /** Instant at which it will have run all of them. */
  freeAt: number;
  /** Time that preparing its dear batch takes, the way there included; 0 while it has none to prepare. */
  dearMs: number;
  /** It has a dear batch, running or not. */
  holdsDear: boolean;
  /** One of its batches may kill it. */
  mayBePoison: boolean;
};
