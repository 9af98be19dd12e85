import { type BatchLoad, loadOf } from "../queue/batch-load.ts";
import type { WorkerLoad } from "../state/worker-loads.ts";
import type { LaneSituation } from "./situation.ts";
import { soonestSlot, type WorkerSlot } from "./worker-slot.ts";

/**
 * Returns the slot of the lane's next batch. If a heavy task is next and none of its workers is due yet, a
 * light one behind it does not wait for that. Undefined: all workers are full.
 */
export function nextSlot(situation: LaneSituation): WorkerSlot | undefined {
  const load = loadOfNext(situation, true);
  if (load === undefined) return undefined;
  // Retries wait for no worker in particular: all others wait for them.
  if (!load.isHeavy || situation.lane.retryParts.length > 0) return soonestSlot(situation, load);
  const slot = soonestSlot({ ...situation, loads: workersForHeavy(situation) }, load);
  if (slot !== undefined && slot.sendAt <= situation.now) return slot;
  const lightLoad = loadOfNext(situation, false);
  const lightSlot = lightLoad === undefined ? undefined : soonestSlot(situation, lightLoad);
  if (slot === undefined || lightSlot === undefined) return slot ?? lightSlot;
  return slot.sendAt < lightSlot.sendAt ? slot : lightSlot;
}

/**
 * Returns the load of the batch that would be sent next. Undefined: only heavy tasks wait, and must keep
 * waiting.
 */
function loadOfNext({ lane, sizing }: LaneSituation, heavyAllowed: boolean): BatchLoad | undefined {
  const [part] = lane.retryParts;
  if (part !== undefined) return loadOf(part.tasks);
  const first = lane.queue.firstInTurn(heavyAllowed);
  if (first === undefined) return undefined;
  const next = loadOf([first.task]);
  return next.isHeavy ? next : lane.estimates.lightLoad(Math.min(lane.waitingCount, sizing.usefulSize));
}

/**
 * Returns the workers that may be sent a heavy batch now. While light tasks arrive, in whatever lane, half of
 * the lane's workers take no heavy batches, so that light tasks do not wait for many heavy runs and have
 * cores. A worker that runs a heavy batch may prepare the next one meanwhile, but prepares only one at a
 * time. A single worker has to take both.
 */
function workersForHeavy({ state, loads, now }: LaneSituation): WorkerLoad[] {
  const free = loads.filter(({ stagedHeavy }) => stagedHeavy === undefined);
  if (loads.length < 2) return free;
  let lightArrives = false;
  for (const each of state.lanes.values()) lightArrives ||= now - each.lightArrivedAt < recentMs;
  if (!lightArrives) return free;
  const holders = loads.filter(({ holdsHeavy }) => holdsHeavy);
  return holders.length < Math.floor(loads.length / 2) ? free : free.filter(({ holdsHeavy }) => holdsHeavy);
}

/** The time for which the demand of tenants is remembered. */
const recentMs = 5_000;
