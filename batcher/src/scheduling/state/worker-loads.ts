import type { BatchId } from "@faceline/contracts/wire/batch";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { SentBatch } from "./sent-batch.ts";
import { type BuiltLane, isInService, silenceMaxMs, sizeMaxOf, type Worker } from "./workers.ts";

/**
 * The workers of a pool, the batches that were sent to them, and what each worker has to do, which follows
 * from both. Everything that changes a worker or a batch goes through here and drops the cached loads.
 */
export class WorkerLoads {
  readonly #workers = new Map<string, Worker>();
  readonly #sent = new Map<BatchId, SentBatch>();
  readonly #cache = new Map<BuiltLane, CachedLoads>();

  get workers(): ReadonlyMap<string, Worker> {
    return this.#workers;
  }

  /** Batches that were sent and have not ended. */
  get sent(): ReadonlyMap<BatchId, SentBatch> {
    return this.#sent;
  }

  /**
   * Returns the load of every worker in service that has this lane loaded: its last report, and the batches
   * that were sent to it since. Most decisions come between two reports: then only `freeAt` changes.
   */
  of(lane: BuiltLane, now: number): readonly WorkerLoad[] {
    const cached = this.#cache.get(lane);
    const isFresh = cached?.build === lane.build && now - cached.oldestReportAt < silenceMaxMs;
    if (isFresh && cached.at === now) return cached.loads;
    const current = isFresh ? cached : this.#compute(lane, now);
    for (const load of current.loads) load.freeAt = freeAtOf(load, now);
    current.at = now;
    this.#cache.set(lane, current);
    return current.loads;
  }

  /** Adds or replaces a worker. */
  setWorker(worker: Worker): void {
    this.#cache.clear();
    this.#workers.set(worker.id, worker);
  }

  changeWorker(worker: Worker, change: Partial<Worker>): void {
    this.#cache.clear();
    Object.assign(worker, change);
  }

  /** Removes a worker and the batches that were sent to it. */
  removeWorker({ id }: Worker): void {
    this.#cache.clear();
    this.#workers.delete(id);
    for (const sent of this.#sent.values()) if (sent.worker === id) this.#sent.delete(sent.id);
  }

  addBatch(sent: SentBatch): void {
    this.#cache.clear();
    this.#sent.set(sent.id, sent);
  }

  changeBatch(sent: SentBatch, change: Partial<SentBatch>): void {
    this.#cache.clear();
    Object.assign(sent, change);
  }

  removeBatch({ id }: SentBatch): void {
    this.#cache.clear();
    this.#sent.delete(id);
  }

  removeAllBatches(): void {
    this.#cache.clear();
    this.#sent.clear();
  }

  #compute(lane: BuiltLane, now: number): CachedLoads {
    const loads: WorkerLoad[] = [];
    let oldestReportAt = Number.POSITIVE_INFINITY;
    for (const worker of this.#workers.values()) {
      const sizeMax = sizeMaxOf(worker, lane);
      if (sizeMax === 0 || !isInService(worker, now)) continue;
      oldestReportAt = Math.min(oldestReportAt, worker.reportedAt);
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
      });
    }
    for (const batch of this.#sent.values()) {
      // Looking up an id is faster than comparing it with several that differ in their last characters.
      const worker = this.#workers.get(batch.worker);
      for (const load of loads) if (load.worker === worker) addSentBatch(load, batch);
    }
    return { build: lane.build, oldestReportAt, at: now, loads };
  }
}

function addSentBatch(load: WorkerLoad, batch: SentBatch): void {
  const { id, phase, mayBePoison, predictedRunMs } = batch;
  const isHeavy = batch.load?.isHeavy === true;
  load.mayBePoison ||= mayBePoison && phase.kind !== "lost";
  load.holdsHeavy ||= isHeavy && phase.kind !== "lost";
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
  // A heavy batch is prepared beside the others, and delays those that start after it.
  return stagedHeavy !== undefined && stagedHeavy.preparedAt <= freeAt
    ? freeAt + stagedHeavy.predictedRunMs
    : freeAt;
}

/** Whether the worker has nothing to run and nothing to prepare. */
export const isIdle = ({ running, stagedCount, stagedHeavy }: WorkerLoad): boolean =>
  !running && stagedCount === 0 && stagedHeavy === undefined;

/** The loads of a lane's workers, and what they follow from. */
type CachedLoads = {
  build: LaneBuild | null;
  /** Instant of the oldest report among them: that worker falls silent first. */
  oldestReportAt: number;
  /** Instant for which each `freeAt` holds. */
  at: number;
  loads: WorkerLoad[];
};

/** Work of one worker, running and to come. */
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
  /** One of its batches may kill it. */
  mayBePoison: boolean;
};
