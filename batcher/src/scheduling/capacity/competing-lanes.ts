import type { Lane } from "../state/lane.ts";
import type { State } from "../state/state.ts";
import type { WorkerLoad } from "../state/worker-loads.ts";
import { isInService, sizeMaxOf } from "../state/workers.ts";
import { usefulSize } from "./batch-size-bounds.ts";

/**
 * Returns the other lanes that share workers with this lane. Their work that is due before a task runs before
 * it. Their future work leaves this lane the workers' time that they do not need, and at least an equal
 * share.
 */
export function competingLanes(
  state: State,
  lane: Lane,
  loads: readonly WorkerLoad[],
  now: number,
): CompetingLane[] {
  const competing: CompetingLane[] = [];
  if (state.lanes.size < 2) return competing;
  for (const other of state.lanes.values()) {
    if (other === lane) continue;
    let all = 0;
    for (const worker of state.workers.values()) {
      if (sizeMaxOf(worker, other) > 0 && isInService(worker, now)) all++;
    }
    const shared = loads.filter(({ worker }) => sizeMaxOf(worker, other) > 0).length;
    if (shared === 0) continue;
    const size = usefulSize(other.estimates, state.hops, state.settings.batchMax);
    competing.push({
      lane: other,
      size,
      batchMs: (other.estimates.cycleMs(state.hops, size) * shared) / all,
    });
  }
  return competing;
}

/** Returns how many workers' time the competing lanes leave; not a whole number. */
export function availableWorkers(competing: CompetingLane[], workers: number, now: number): number {
  let needed = 0;
  let active = 1;
  for (const each of competing) {
    const share = workerShare(each, now);
    if (share < activeShareMin) continue;
    needed += share;
    active++;
  }
  return Math.max(workers / active, workers - needed);
}

/**
 * Returns the longest batch of the competing lanes that have requests; for a lane without requests, the time
 * is a guess.
 */
export function longestCompetingBatchMs(competing: CompetingLane[], now: number): number {
  let longest = 0;
  for (const each of competing) {
    if (workerShare(each, now) >= activeShareMin) longest = Math.max(longest, each.batchMs);
  }
  return longest;
}

/** Returns the workers' time in ms that competing lanes need before a task of this deadline. */
export function competingWorkMs(competing: CompetingLane[], deadlineAt: number): number {
  let ms = 0;
  for (const { lane, size, batchMs } of competing) {
    ms += Math.ceil(lane.dueBeforeCount(deadlineAt) / size) * batchMs;
  }
  return ms;
}

/** How much of one worker's time the arrivals of a competing lane need. */
const workerShare = ({ lane, size, batchMs }: CompetingLane, now: number): number =>
  (lane.estimates.arrivals.perMs(now) * batchMs) / size;

/** A lane that needs less than this share of a worker counts as idle. */
const activeShareMin = 0.01;

export type CompetingLane = {
  lane: Lane;
  /** Its useful batch size. */
  size: number;
  /** Time that a batch of that size takes from the shared workers. */
  batchMs: number;
};
