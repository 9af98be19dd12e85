import type { HopTimes } from "./hop-times.ts";
import type { Lane } from "./lane.ts";

/**
 * How large a lane's batches should be at this moment, by what was learned. Nothing here is a setting.
 *
 * - `usefulSize`, the cap: the smallest size that reaches 95 % of the best throughput. On a GPU it is large; on a CPU,
 *   where a batch takes as long as its tasks one by one, it is 1 to 4, and nobody waits for neighbours.
 * - `deadlineSize`: the largest that a task can wait for one stagger long and still meet its deadline.
 * - `floor`: the smallest that keeps up with the arrivals. While it is 1, nobody is held.
 * - `holdMs`: how long a task may be held for the floor while a worker is free: one stagger.
 */
export function batchSizing(lane: Lane, hops: HopTimes, staff: Staff, now: number): BatchSizing {
  const useful = usefulSize(lane, hops);
  const deadlineSize = inTime(lane, hops, staff.left, useful);
  const floor = Math.min(deadlineSize, sustainingSize(lane, staff, now));
  return {
    ...staff,
    usefulSize: useful,
    deadlineSize,
    floor,
    holdMs: lane.meanMs(floor) / staff.workers,
    cycleMs: cycleMs(lane, hops, useful),
  };
}

export function usefulSize(lane: Lane, hops: HopTimes): number {
  const throughput = (size: number) => size / cycleMs(lane, hops, size);
  let best = 0;
  for (const size of lane.sizes) best = Math.max(best, throughput(size));
  for (const size of lane.sizes) if (throughput(size) >= usefulShare * best) return size;
  return lane.batchMax;
}

function inTime(lane: Lane, hops: HopTimes, workers: number, useful: number): number {
  const leftMs = lane.arrivals.patienceMs - hops.toWorker.ms - hops.reply.ms;
  let largest = 1;
  for (const size of lane.sizes) {
    if (size <= useful && lane.run.highMs(size) * (1 + 1 / workers) <= leftMs) largest = size;
  }
  return largest;
}

/** The smallest batch with which the workers keep up; endless, where none does. */
function sustainingSize(lane: Lane, { workers, left: ours }: Staff, now: number): number {
  const rate = lane.arrivals.perMs(now);
  const { alpha, beta } = lane.run.line;
  // One worker alone may be used up wholly: a reserve would only add waiting.
  const capacity = workers === 1 ? ours : utilisationMax * ours;
  const left = capacity - rate * beta;
  return left <= 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil((rate * alpha) / left));
}

/** From one batch to the next on a worker: only one is staged, so a short run waits for the preparation of the next. */
export function cycleMs(lane: Lane, hops: HopTimes, size: number): number {
  return Math.max(lane.run.meanMs(size), hops.toWorker.ms + hops.fromWorker.ms + lane.prepare.meanMs(size));
}

const usefulShare = 0.95;
const utilisationMax = 0.85;

type Staff = {
  /** That have the lane loaded. */
  workers: number;
  /** Of how many the time is left to the lane by others; not a whole number. */
  left: number;
};

export type BatchSizing = Staff & {
  usefulSize: number;
  deadlineSize: number;
  floor: number;
  holdMs: number;
  /** From one batch of the useful size to the next. */
  cycleMs: number;
};
