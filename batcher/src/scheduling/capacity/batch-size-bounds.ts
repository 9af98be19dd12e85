import type { HopTimes } from "../estimates/hop-times.ts";
import type { LaneEstimates } from "../estimates/lane-estimates.ts";
import type { Lane } from "../state/lane.ts";

/**
 * Returns how large a lane's batches should be now, by what was learned and the utilisation target.
 *
 * - `usefulSize`, the cap: the smallest size that reaches 95% of the best throughput. On a GPU it is large.
 *   On a CPU, where a batch takes as long as its tasks one by one, it is 1 to 4, and no task waits for
 *   neighbours.
 * - `deadlineSize`: the largest size with which a task can wait one stagger and still meet its deadline.
 * - `floor`: the smallest size that keeps up with the arrivals. While it is 1, no task is held.
 * - `holdMs`: how long a task may be held for the floor while a worker is free: one stagger, which is the run
 *   of a floor batch divided by the number of workers.
 */
export function batchSizing(lane: Lane, hops: HopTimes, workers: LaneWorkers, now: number): BatchSizing {
  const { estimates } = lane;
  const useful = usefulBatch(lane, hops, workers, now);
  const deadlineSize = largestInTime(estimates, hops, workers.availableWorkers, useful.usefulSize);
  const floor = Math.min(deadlineSize, smallestSustainable(estimates, workers, now));
  return {
    workers: workers.workers,
    availableWorkers: workers.availableWorkers,
    utilisationTarget: workers.utilisationTarget,
    batchMax: workers.batchMax,
    usefulSize: useful.usefulSize,
    deadlineSize,
    floor,
    holdMs: estimates.runMs(floor) / workers.workers,
    cycleMs: useful.cycleMs,
  };
}

/**
 * Returns the useful size, or a smaller one that loses little while one tenant demands far more than its
 * share and another one does not: the modest one waits for the batches of the other.
 */
export function usefulBatch(
  lane: Lane,
  hops: HopTimes,
  { availableWorkers, batchMax }: LaneWorkers,
  now: number,
): UsefulBatch {
  const { estimates } = lane;
  const size = sizeToTry(lane, usefulSize(estimates, hops, batchMax), batchMax);
  const ms = estimates.cycleMs(hops, size);
  if (!estimates.demand.isUneven((availableWorkers * size) / ms, now))
    return { usefulSize: size, cycleMs: ms };
  const smaller = usefulSize(estimates, hops, batchMax, usefulShareUneven);
  return { usefulSize: smaller, cycleMs: estimates.cycleMs(hops, smaller) };
}

/**
 * Returns the smallest size that reaches this share of the best throughput of one worker, of the sizes up to
 * `batchMax`. The smallest size is always allowed.
 */
export function usefulSize(
  estimates: LaneEstimates,
  hops: HopTimes,
  batchMax: number,
  share = usefulShare,
): number {
  const { sizes } = estimates;
  const throughputs = estimates.throughputs(hops);
  let best = 0;
  for (let index = 0; index < sizes.length; index++) {
    if (sizes[index]! <= batchMax) best = Math.max(best, throughputs[index]!);
  }
  for (let index = 0; index < sizes.length; index++) {
    if (throughputs[index]! >= share * best) return sizes[index]!;
  }
  return estimates.batchMax;
}

/**
 * Returns the first size above the useful one whose time is stale, if a backlog fills it; else the useful
 * one. Without such a trial, nothing corrects the time of a size that is not run: if it was measured while
 * the workers were disturbed, small batches would continue forever although larger ones keep up. Every larger
 * size is tried: a single stale time bends the line, which then says that the next size gains nothing,
 * however often it is measured.
 */
function sizeToTry({ estimates, queue }: Lane, useful: number, batchMax: number): number {
  const sizeMax = Math.min(batchMax, queue.waitingCount);
  if (sizeMax <= useful) return useful;
  return (
    estimates.sizes.find((size) => size > useful && size <= sizeMax && estimates.run.isStale(size)) ?? useful
  );
}

function largestInTime(
  { arrivals, run, sizes }: LaneEstimates,
  hops: HopTimes,
  workers: number,
  useful: number,
): number {
  const leftMs = arrivals.timeBudgetMs - hops.toWorker.ms - hops.reply.ms;
  const isInTime = (size: number) => run.highMs(size) * (1 + 1 / workers) <= leftMs;
  return sizes.findLast((size) => size <= useful && isInTime(size)) ?? 1;
}

/**
 * Returns the smallest batch size at which the workers keep up; infinity if no size does. A batch of b tasks
 * takes `alpha + beta · b`, and b tasks arrive every `b / rate`: so `b ≥ rate · alpha / (workers − rate ·
 * beta)`.
 */
function smallestSustainable(
  { arrivals, run }: LaneEstimates,
  laneWorkers: LaneWorkers,
  now: number,
): number {
  const { workers, availableWorkers, utilisationTarget } = laneWorkers;
  const rate = arrivals.perMs(now);
  const { alpha, beta } = run.line;
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
  /** Time from one batch of the useful size to the next on one worker. */
  cycleMs: number;
};

export type BatchSizing = LaneWorkers &
  UsefulBatch & {
    deadlineSize: number;
    floor: number;
    holdMs: number;
  };
