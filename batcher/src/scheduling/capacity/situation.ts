import type { BatchLoad } from "../queue/batch-load.ts";
import type { Lane } from "../state/lane.ts";
import type { State } from "../state/state.ts";
import type { WorkerLoad } from "../state/worker-loads.ts";
import { assumedAbsenceMs } from "../state/workers.ts";
import { type BatchSizing, batchSizing, type UsefulBatch } from "./batch-size-bounds.ts";
import { availableWorkers, type CompetingLane, competingLanes, competingWorkMs } from "./competing-lanes.ts";

/**
 * One lane at one instant: what its workers do, what they do for other lanes, and the batch sizes that
 * follow.
 */
export type LaneSituation = {
  state: State;
  lane: Lane;
  now: number;
  loads: readonly WorkerLoad[];
  competing: CompetingLane[];
  sizing: BatchSizing;
};

export function laneSituation(state: State, lane: Lane, now: number): LaneSituation {
  const loads = state.loads.of(lane, now);
  const workers = Math.max(1, loads.length);
  const competing = competingLanes(state, lane, loads, now);
  const available = availableWorkers(competing, workers, now);
  const { utilisationTarget, batchMax } = state.settings;
  const laneWorkers = { workers, availableWorkers: available, utilisationTarget, batchMax };
  const sizing = batchSizing(lane, state.hops, laneWorkers, now);
  return { state, lane, now, loads, competing, sizing };
}

/**
 * Returns the instant at which the task at this position of the queue, counted from 1, starts to run: after
 * the batches before it, on the first free worker, and after the work of competing lanes that is due before
 * its deadline.
 */
export function expectedStartAt(
  situation: LaneSituation,
  { position, deadlineAt, load = situation.lane.estimates.lightLoad(1) }: QueuePosition,
): number {
  const { state, lane, now, loads, competing, sizing } = situation;
  let freeAt = Number.POSITIVE_INFINITY;
  for (const each of loads) freeAt = Math.min(freeAt, each.freeAt);
  if (loads.length === 0) freeAt = now + assumedAbsenceMs;
  const preparedAt = now + state.hops.toWorker.ms + lane.estimates.prepareMs(load);
  const batchesBefore = lane.retryParts.length + Math.ceil(position / sizing.usefulSize) - 1;
  const ownMs = batchesBefore * sizing.cycleMs;
  // The larger of the competing work that already waits and the competing work that arrives meanwhile.
  const queueMs = Math.max(
    (ownMs + competingWorkMs(competing, deadlineAt)) / sizing.workers,
    ownMs / sizing.availableWorkers,
  );
  return Math.max(preparedAt, freeAt) + queueMs;
}

type QueuePosition = {
  /** Position in light tasks, from 1. */
  position: number;
  deadlineAt: number;
  /** Load of a batch of only this task; a light one by default. */
  load?: BatchLoad;
};

/** Returns how long a worker is occupied by a light task, in ms: the unit of weights. */
export const lightTaskMs = ({ sizing }: { sizing: UsefulBatch }): number =>
  sizing.cycleMs / sizing.usefulSize;
