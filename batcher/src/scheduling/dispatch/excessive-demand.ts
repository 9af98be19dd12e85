import type { Lane } from "../state/lane.ts";
import type { State } from "../state/state.ts";
import { isInService } from "../state/workers.ts";

/**
 * Whether the next task of a lane is of a tenant that demands more than its share of all workers, in all
 * lanes together, beside another one that keeps to its share. Within a lane tenants take turns. Between lanes
 * the earliest deadline goes first, and of a lane that is flooded, tasks are waiting whose deadlines are
 * earlier than that of any new task: so the tasks of such a tenant go after those of other lanes.
 */
export function nextIsExcessive(state: State, lane: Lane, now: number): boolean {
  if (state.lanes.size < 2 || lane.retryParts.length > 0) return false;
  const next = lane.queue.firstInTurn(true);
  if (next === undefined) return false;
  let workers = 0;
  for (const worker of state.workers.values()) if (isInService(worker, now)) workers++;
  return state.demand.isExcessive(next.tenant.tenant, Math.max(1, workers), now);
}
