import type { LaneSituation } from "./situation.ts";
import type { WorkerLoad } from "./workers.ts";

/**
 * Returns the workers that may be sent a dear batch now. While tasks that are not dear arrive, in whatever
 * lane, half of the lane's workers take none, so that those tasks do not wait for the runs of many dear
 * ones, and have cores. A worker that runs a dear batch may prepare the next one meanwhile, but prepares one
 * at a time. A single worker has to take both.
 */
export function workersForDear({ state, loads, now }: LaneSituation): WorkerLoad[] {
  const free = loads.filter(({ stagedDear }) => stagedDear === undefined);
  if (loads.length < 2) return free;
  let usualArrive = false;
  for (const each of state.lanes.values()) usualArrive ||= now - each.usualArrivedAt < usualRecentMs;
  if (!usualArrive) return free;
  const holders = loads.filter(({ holdsDear }) => holdsDear);
  return holders.length < Math.floor(loads.length / 2) ? free : free.filter(({ holdsDear }) => holdsDear);
}

/** As long as the demand of tenants is remembered. */
const usualRecentMs = 5_000;
