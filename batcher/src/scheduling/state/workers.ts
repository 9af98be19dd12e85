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

/** How many workers in service have not loaded the lane, and can. */
export function loadableCount({ workers }: Pool, { id }: BuiltLane, now: number): number {
  let count = 0;
  for (const worker of workers.values()) {
    if (isInService(worker, now) && worker.report.loadable.some(({ lane }) => lane === id)) count++;
  }
  return count;
}

/** Whether a worker in service has loaded the lane. */
export function hasWorker({ workers }: Pool, lane: BuiltLane, now: number): boolean {
  for (const worker of workers.values()) {
    if (sizeMaxOf(worker, lane) > 0 && isInService(worker, now)) return true;
  }
  return false;
}

/**
 * While no worker has the lane, the first is assumed to be back after this time, or to have loaded it if no
 * worker has measured that.
 */
export const assumedAbsenceMs = 3_000;

/** Returns the partition to send to. A worker reads all of its own, so the lowest is as good as any. */
export const partitionOf = (worker: Worker): number => Math.min(...worker.partitions);

/**
 * Returns the load of every worker in service that has this lane loaded: its last report, and the batches
 * that were sent to it since. The loads of a lane are kept while no worker and no batch changes, and only
 * their `freeAt` follows the clock: most decisions come between two reports.
 */
export function workerLoads(pool: Pool, lane: LaneOfWorkers, now: number): readonly WorkerLoad[] {
  const { known } = lane;
  const isKnown =
    known !== undefined &&
    known.version === pool.loadsVersion &&
    known.build === lane.build &&
    now - known.reportedAt < silenceMaxMs;
  if (isKnown && known.at === now) return known.loads;
  const current = isKnown ? known : newLoads(pool, lane, now);
  for (const load of current.loads) load.freeAt = freeAtOf(load, now);
  current.at = now;
  lane.known = current;
  return current.loads;
}

function newLoads({ workers, sent, loadsVersion }: Pool, lane: BuiltLane, now: number): KnownLoads {
  const loads: WorkerLoad[] = [];
  let reportedAt = Number.POSITIVE_INFINITY;
  for (const worker of workers.values()) {
    const sizeMax = sizeMaxOf(worker, lane);
    if (sizeMax === 0 || !isInService(worker, now)) continue;
    reportedAt = Math.min(reportedAt, worker.reportedAt);
    const { running, staged } = worker.report;
    loads.push({
      worker,
      sizeMax,
      running: running !== null,
      stagedCount: staged.length,
      stagedHeavy: undefined,
      runsAhead: [],
      freeAt: now,
      mayBePoison: false,
      holdsHeavy: false,
      holdsBestEffort: false,
    });
  }
  for (const batch of sent.values()) {
    // To look an id up is faster than to compare it with several that differ in their last characters.
    const worker = workers.get(batch.worker);
    for (const load of loads) if (load.worker === worker) addSentBatch(load, batch);
  }
  return { version: loadsVersion, build: lane.build, reportedAt, at: now, loads };
}

function addSentBatch(load: WorkerLoad, batch: SentBatch): void {
  const { id, phase, mayBePoison, predictedRunMs } = batch;
  const isHeavy = batch.load?.isHeavy === true;
  load.mayBePoison ||= mayBePoison && phase.kind !== "lost";
  load.holdsHeavy ||= isHeavy && phase.kind !== "lost";
  load.holdsBestEffort ||= batch.serviceClass === "best_effort" && phase.kind !== "lost";
  let isReportedStaged = false;
  for (const each of load.worker.report.staged) isReportedStaged ||= each.batch === id;
  if (isHeavy && isReportedStaged) load.stagedCount--;
  if (phase.kind !== "travelling" && !isReportedStaged) return;
  if (isHeavy) load.stagedHeavy = batch;
  else {
    if (phase.kind === "travelling") load.stagedCount++;
    load.runsAhead.push(predictedRunMs);
  }
}

function freeAtOf({ worker, runsAhead, stagedHeavy }: WorkerLoad, now: number): number {
  const { running } = worker.report;
  let freeAt = running === null ? now : Math.max(now, running.endsAt);
  for (const runMs of runsAhead) freeAt += runMs;
  // A heavy batch is prepared beside the others, and delays those that begin after it was.
  return stagedHeavy !== undefined && stagedHeavy.preparedAt <= freeAt
    ? freeAt + stagedHeavy.predictedRunMs
    : freeAt;
}

/** Whether the worker has nothing to run and nothing to prepare. */
export const isIdle = ({ running, stagedCount, stagedHeavy }: WorkerLoad): boolean =>
  !running && stagedCount === 0 && stagedHeavy === undefined;

/** A build is null while no worker has reported the lane. */
type BuiltLane = { readonly id: LaneId; readonly build: LaneBuild | null };
type LaneOfWorkers = BuiltLane & { known: KnownLoads | undefined };
type Pool = {
  readonly workers: Map<string, Worker>;
  readonly sent: Map<BatchId, SentBatch>;
  /** See State. */
  readonly loadsVersion: number;
};

/** The loads of a lane's workers, and what they follow from. */
export type KnownLoads = {
  version: number;
  build: LaneBuild | null;
  /** Instant of the oldest report among them: the worker that falls silent first. */
  reportedAt: number;
  /** Instant for which each `freeAt` holds. */
  at: number;
  loads: WorkerLoad[];
};

/** What one worker has to do. */
export type WorkerLoad = {
  worker: Worker;
  /** Largest batch of the lane in question that it takes. */
  sizeMax: number;
  running: boolean;
  /** Batches behind the running one that are not heavy, those that are still travelling included. */
  stagedCount: number;
  /** The heavy batch that it prepares beside them. */
  stagedHeavy: SentBatch | undefined;
  /** Predicted ms of each batch behind the running one that is not heavy. */
  runsAhead: number[];
  /**
   * Instant at which it will have run all of them, and its heavy batch if that is prepared by then.
   */
  freeAt: number;
  /** It has a heavy batch, running or not. */
  holdsHeavy: boolean;
  /** It has a best-effort batch, running or not. */
  holdsBestEffort: boolean;
  /** One of its batches may kill it. */
  mayBePoison: boolean;
};
