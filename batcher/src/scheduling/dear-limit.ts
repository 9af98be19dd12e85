// Tested by dear-tasks.test.ts and capacity/dear-pictures.sim.test.ts.
import type { LaneSituation } from "./situation.ts";

/**
 * Whether one more worker may prepare a dear batch now. While tasks that are not dear arrive, in whatever
 * lane, half of the lane's workers prepare none, so that those tasks do not wait for pictures that take
 * seconds. A single worker has to prepare both: then the others wait for one dear batch at most.
 */
export function mayPrepareDear({ state, loads, now }: LaneSituation): boolean {
  if (loads.length < 2) return true;
  const usualArrive = state.lanes.values().some((each) => now - each.usualArrivedAt < usualRecentMs);
  const preparing = loads.filter((load) => load.dearMs > 0).length;
  return !usualArrive || preparing < Math.floor(loads.length / 2);
}

/** As long as the demand of tenants is remembered. */
const usualRecentMs = 5_000;
