import { cycleMs, usefulSize } from "./batch-size.ts";
import type { Lane } from "./lane.ts";
import type { State } from "./state.ts";
import { inService, sizeMaxOf, type Workload } from "./workers.ts";

/**
 * The other lanes that a lane shares its workers with. Of their work, what is due before a task is done before it; and
 * what keeps coming leaves a lane that share of the workers' time that its rivals do not need, an equal one at least.
 */
export function rivalsOf(state: State, lane: Lane, loads: Workload[], now: number): Rival[] {
  const rivals: Rival[] = [];
  if (state.lanes.size < 2) return rivals;
  for (const other of state.lanes.values()) {
    if (other === lane) continue;
    let all = 0;
    for (const worker of state.workers.values()) {
      if (sizeMaxOf(worker, other.name) > 0 && inService(worker, now)) all++;
    }
    const shared = loads.filter(({ worker }) => sizeMaxOf(worker, other.name) > 0).length;
    if (shared === 0) continue;
    const size = usefulSize(other, state.hops);
    rivals.push({ lane: other, size, batchMs: (cycleMs(other, state.hops, size) * shared) / all });
  }
  return rivals;
}

/** Of how many workers a lane has the time for itself. */
export function workersLeft(rivals: Rival[], workers: number, now: number): number {
  let taken = 0;
  let active = 1;
  for (const rival of rivals) {
    const share = shareOf(rival, now);
    if (share < negligible) continue;
    taken += share;
    active++;
  }
  return Math.max(workers / active, workers - taken);
}

/** The longest batch of rivals that bring work; what a lane without calls would take is a guess. */
export function longestBatchMs(rivals: Rival[], now: number): number {
  let longest = 0;
  for (const rival of rivals) {
    if (shareOf(rival, now) >= negligible) longest = Math.max(longest, rival.batchMs);
  }
  return longest;
}

/** Of one worker's time, how much a rival's arrivals need. */
const shareOf = ({ lane, size, batchMs }: Rival, now: number): number =>
  (lane.arrivals.perMs(now) * batchMs) / size;

/** The workers' time that goes to rivals before a task of this deadline. */
export function dueBeforeMs(rivals: Rival[], deadlineAt: number): number {
  let ms = 0;
  for (const { lane, size, batchMs } of rivals) ms += Math.ceil(lane.dueBefore(deadlineAt) / size) * batchMs;
  return ms;
}

/** Less than this share of a worker's time is nothing. */
const negligible = 0.01;

export type Rival = {
  lane: Lane;
  size: number;
  /** What a batch of that size takes of the workers that are shared. */
  batchMs: number;
};
