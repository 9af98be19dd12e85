import type { WorkerLoad } from "../state/worker-loads.ts";
import type { LaneSituation } from "./situation.ts";

/**
 * Returns the workers that may be sent a heavy batch now. While tasks that are not heavy arrive, in whatever
 * lane, half of the lane's workers take none, so that those tasks do not wait for the runs of many heavy
 * ones, and have cores. A worker that runs a heavy batch may prepare the next one meanwhile, but prepares one
 * at a time. A single worker has to take both.
 */
export function workersForHeavy({ state, loads, now }: LaneSituation): WorkerLoad[] {
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
