import type { HopTimes } from "./hop-times.ts";
import type { TimeModel } from "./time-model.ts";

/**
 * Returns the time in ms from one batch to the next on a worker. Only one batch is staged, so a short run
 * waits for the preparation of the next.
 */
export function cycleMs({ run, prepare, usualCost }: LaneTimes, hops: HopTimes, size: number): number {
  return Math.max(run.meanMs(size), hops.toWorker.ms + hops.fromWorker.ms + prepare.meanMs(size * usualCost));
}

/**
 * The throughput of one worker at each size of a lane, kept until something that it follows from has changed:
 * a decision needs it several times, and most decisions come between two reports.
 */
export class Throughputs {
  #perMs: number[] = [];
  #from: Sources | undefined;

  /** Tasks per ms, in the order of the lane's sizes. */
  of(lane: LaneTimes, hops: HopTimes): readonly number[] {
    const { sizes, run, prepare, usualCost } = lane;
    const { toWorker, fromWorker } = hops;
    const from = this.#from;
    const isKnown =
      from !== undefined &&
      from.sizes === sizes &&
      from.run === run &&
      from.runsLearned === run.learnedCount &&
      from.prepare === prepare &&
      from.preparationsLearned === prepare.learnedCount &&
      from.usualCost === usualCost &&
      from.toWorkerMs === toWorker.ms &&
      from.fromWorkerMs === fromWorker.ms;
    if (isKnown) return this.#perMs;
    this.#from = {
      sizes,
      run,
      runsLearned: run.learnedCount,
      prepare,
      preparationsLearned: prepare.learnedCount,
      usualCost,
      toWorkerMs: toWorker.ms,
      fromWorkerMs: fromWorker.ms,
    };
    this.#perMs = sizes.map((size) => size / cycleMs(lane, hops, size));
    return this.#perMs;
  }
}

type LaneTimes = { sizes: number[]; run: TimeModel; prepare: TimeModel; usualCost: number };

type Sources = LaneTimes & {
  runsLearned: number;
  preparationsLearned: number;
  toWorkerMs: number;
  fromWorkerMs: number;
};
