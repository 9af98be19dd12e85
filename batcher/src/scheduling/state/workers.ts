import type { BatchId } from "@faceline/contracts/wire/batch";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { Report } from "@faceline/contracts/wire/report";

/** A worker; only WorkerLoads changes it. */
export type Worker = {
  readonly id: string;
  /** Its latest report. */
  readonly report: Report;
  readonly reportedAt: number;
  /**
   * Partitions of the batches topic that it holds by its report, less those that another worker claimed
   * since.
   */
  readonly partitions: readonly number[];
  /** It held partitions and reports none: Kafka does not answer it. */
  readonly lostPartitions: boolean;
  /** The batch that it prepares while nothing runs, and since when none of its images has arrived. */
  readonly preparing: { batch: BatchId; since: number } | undefined;
  /** It fell silent, hung, or did not confirm a batch in time: out of service until its next report. */
  readonly unresponsive: boolean;
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

/** Whether a worker in service has loaded the lane. */
export function hasWorker({ workers }: HasWorkers, lane: BuiltLane, now: number): boolean {
  for (const worker of workers.values()) {
    if (sizeMaxOf(worker, lane) > 0 && isInService(worker, now)) return true;
  }
  return false;
}

/** While no worker has the lane, the first is assumed to be back after this time. */
export const assumedAbsenceMs = 3_000;

/** Returns the partition to send to. A worker reads all of its own, so the lowest is as good as any. */
export const partitionOf = (worker: Worker): number => Math.min(...worker.partitions);

/** A build is null while no worker has reported the lane. */
export type BuiltLane = { readonly id: LaneId; readonly build: LaneBuild | null };
type HasWorkers = { readonly workers: ReadonlyMap<string, Worker> };
