import type { BatchLoad } from "../queue/batch-load.ts";
import { isIdle } from "../state/worker-loads.ts";
import type { Worker } from "../state/workers.ts";
import type { LaneSituation } from "./situation.ts";

/** The one batch that a worker can be sent next, heavy or not. */
export type WorkerSlot = {
  worker: Worker;
  isHeavy: boolean;
  sizeMax: number;
  /** When the worker will have run what it has. */
  freeAt: number;
  /** When the batch should be sent. */
  sendAt: number;
};

export type SlotSituation = LaneSituation & { slot: WorkerSlot };

/**
 * Returns the slot in which the lane's next batch would run soonest, or undefined if every worker is full. A
 * worker has one batch running, one staged and one heavy batch that it prepares beside them, never more. An
 * idle worker gets its batch at once. A busy one gets it just in time: early enough that the images are
 * decoded when its running batch ends, and no earlier, because until then the batch can still grow.
 */
export function soonestSlot(
  { state, lane, loads, now }: LaneSituation,
  nextLoad: BatchLoad,
): WorkerSlot | undefined {
  // A batch that may kill its worker runs alone, and while such a part waits nothing is staged.
  let poisonWaits = false;
  for (const { retryParts } of state.lanes.values()) {
    poisonWaits ||= retryParts.some((part) => part.mayBePoison);
  }
  // The prediction's mean error is added: an idle worker costs more than a batch that closes a little early.
  const leadMs = state.hops.toWorker.ms + lane.estimates.prepareMs(nextLoad) + lane.estimates.run.residualMs;
  let soonest: WorkerSlot | undefined;
  for (const load of loads) {
    const { worker, sizeMax, running, stagedCount, stagedHeavy, freeAt, mayBePoison } = load;
    if (nextLoad.isHeavy ? stagedHeavy !== undefined : stagedCount > 0) continue;
    if (!isIdle(load) && (mayBePoison || poisonWaits)) continue;
    const sendAt = running || stagedCount > 0 ? Math.max(now, freeAt - leadMs) : now;
    // A run that should have ended may end at any moment: an idle worker is preferred to it.
    if (soonest === undefined || freeAt < soonest.freeAt || (freeAt === soonest.freeAt && isIdle(load))) {
      soonest = { worker, isHeavy: nextLoad.isHeavy, sizeMax, freeAt, sendAt };
    }
  }
  return soonest;
}

/**
 * Returns the latest instant at which a batch that is sent now begins to run. It is prepared while the batch
 * before it runs.
 */
export function latestStartAt({ state, lane, slot, now }: SlotSituation, load: BatchLoad): number {
  const preparedAt = now + state.hops.toWorker.ms + lane.estimates.prepareHighMs(load);
  return Math.max(preparedAt, slot.freeAt) + guardMs;
}

/** Returns the latest instant at which the clients have the answers of a batch that is sent now. */
export function latestAnswerAt(situation: SlotSituation, load: BatchLoad): number {
  const { state, lane } = situation;
  return latestStartAt(situation, load) + lane.estimates.runHighMs(load.count) + state.hops.reply.ms;
}

/** Allowance in ms for what the time models do not cover: rounding, and timers of whole milliseconds. */
export const guardMs = 1;
