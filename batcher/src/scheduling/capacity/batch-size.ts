import { cycleMs } from "../estimates/cycle-times.ts";
import type { HopTimes } from "../estimates/hop-times.ts";
import type { Lane } from "../state/lane.ts";

/**
 * Returns how large a lane's batches should be now, by what was learned and the utilisation target.
 *
 * - `usefulSize`, the cap: the smallest size that reaches 95 % of the best throughput. On a GPU it is large.
 *   On a CPU, where a batch takes as long as its tasks one by one, it is 1 to 4, and no task waits for
 *   neighbours.
 * - `deadlineSize`: the largest size with which a task can wait one stagger and still meet its deadline.
 * - `floor`: the smallest size that keeps up with the arrivals. While it is 1, no task is held.
 * - `holdMs`: how long a task may be held for the floor while a worker is free: one stagger, which is the run
 *   of a floor batch divided by the number of workers.
 */
export function batchSizing(lane: Lane, hops: HopTimes, workers: LaneWorkers, now: number): BatchSizing {
  const useful = usefulBatch(lane, hops, workers, now);
  const deadlineSize = largestInTime(lane, hops, workers.availableWorkers, useful.usefulSize);
  const floor = Math.min(deadlineSize, smallestSustainable(lane, workers, now));
  return {
    workers: workers.workers,
    availableWorkers: workers.availableWorkers,
    utilisationTarget: workers.utilisationTarget,
    batchMax: workers.batchMax,
    usefulSize: useful.usefulSize,
    deadlineSize,
    floor,
    holdMs: lane.meanMs(floor) / workers.workers,
    cycleMs: useful.cycleMs,
  };
}

/**
 * Returns the useful size, or a smaller one that loses little while one tenant demands far more than its
 * share and another one does not: the second waits for the batches of the first.
 */
export function usefulBatch(
  lane: Lane,
  hops: HopTimes,
  { availableWorkers, batchMax }: LaneWorkers,
  now: number,
): UsefulBatch {
  const size = sizeToTry(lane, usefulSize(lane, hops, batchMax), batchMax);
  const ms = cycleMs(lane, hops, size);
  if (!lane.demand.isUneven((availableWorkers * size) / ms, now)) return { usefulSize: size, cycleMs: ms };
  const smaller = usefulSize(lane, hops, batchMax, usefulShareUneven);
  return { usefulSize: smaller, cycleMs: cycleMs(lane, hops, smaller) };
}

/**
 * Returns the smallest size that reaches this share of the best throughput of one worker, of the sizes up to
 * `batchMax`. The smallest size is always allowed.
 */
export function usefulSize(lane: Lane, hops: HopTimes, batchMax: number, share = usefulShare): number {
  const { sizes } = lane;
  const throughputs = lane.throughputs.of(lane, hops);
  let best = 0;
  for (let index = 0; index < sizes.length; index++) {
    if (sizes[index]! <= batchMax) best = Math.max(best, throughputs[index]!);
  }
  for (let index = 0; index < sizes.length; index++) {
    if (throughputs[index]! >= share * best) return sizes[index]!;
  }
  return lane.batchMax;
}

/**
 * Returns the first size above the useful one whose time is stale, where a backlog fills it; else the useful
 * one. Without such a try nothing corrects the time of a size that is not run: it may be that of a moment in
 * which the workers were disturbed, and small batches would go on for ever although larger ones keep up. Not
 * the next size alone: the stale time of a larger one bends the line, which then says that the next one gains
 * nothing, however often it is measured.
 */
function sizeToTry(lane: Lane, useful: number, batchMax: number): number {
  const sizeMax = Math.min(batchMax, lane.queue.waitingCount);
  if (sizeMax <= useful) return useful;
  return lane.sizes.find((size) => size > useful && size <= sizeMax && lane.run.isStale(size)) ?? useful;
}

function largestInTime(lane: Lane, hops: HopTimes, workers: number, useful: number): number {
  const leftMs = lane.arrivals.timeBudgetMs - hops.toWorker.ms - hops.reply.ms;
  const isInTime = (size: number) => lane.run.highMs(size) * (1 + 1 / workers) <= leftMs;
  return lane.sizes.findLast((size) => size <= useful && isInTime(size)) ?? 1;
}

/**
 * Returns the smallest batch size at which the workers keep up; infinity where no size does. A batch of b
 * tasks takes `alpha + beta · b`, and b tasks arrive every `b / rate`: so `b ≥ rate · alpha / (workers − rate
 * · beta)`.
 */
function smallestSustainable(lane: Lane, laneWorkers: LaneWorkers, now: number): number {
  const { workers, availableWorkers, utilisationTarget } = laneWorkers;
  const rate = lane.arrivals.perMs(now);
  const { alpha, beta } = lane.run.line;
  // A single worker may be used fully: a reserve would only add waiting.
  const capacity = workers === 1 ? availableWorkers : utilisationTarget * availableWorkers;
  const left = capacity - rate * beta;
  return left <= 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil((rate * alpha) / left));
}

const usefulShare = 0.95;
const usefulShareUneven = 0.8;

type LaneWorkers = {
  /** Workers in service that have the lane loaded; at least 1. */
  workers: number;
  /** How many workers' time is left to this lane by competing lanes; not a whole number. */
  availableWorkers: number;
  /** Largest batch, as an operator has set it. */
  batchMax: number;
  /** The share of their time that the floor may take, between 0 and 1. */
  utilisationTarget: number;
};

export type UsefulBatch = {
  usefulSize: number;
  /** From one batch of the useful size to the next on one worker. */
  cycleMs: number;
};

export type BatchSizing = LaneWorkers &
  UsefulBatch & {
    deadlineSize: number;
    floor: number;
    holdMs: number;
  };
