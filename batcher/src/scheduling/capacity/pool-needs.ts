import type { State } from "../state/state.ts";
import { isInService } from "../state/workers.ts";
import { usefulSize } from "./batch-size-bounds.ts";

/** Takes a sample of how many workers the pool needs, if the last one is old enough. */
export function sampleWorkersNeeded(state: State, now: number): void {
  const { workersNeeded, workers, settings } = state;
  if (!workersNeeded.isDue(now)) return;
  let workersInService = 0;
  for (const worker of workers.values()) if (isInService(worker, now)) workersInService++;
  const { utilisationTarget } = settings;
  workersNeeded.sample({ utilisationTarget, backlog: backlogOf(state), workersInService }, now);
}

/** Returns how many workers would serve what waits now within the usual time budget; not a whole number. */
function backlogOf({ lanes, hops, settings }: State): number {
  let backlog = 0;
  for (const { queue, estimates } of lanes.values()) {
    const { timeBudgetMs } = estimates.arrivals;
    if (queue.waitingCount === 0 || timeBudgetMs === 0) continue;
    const size = usefulSize(estimates, hops, settings.batchMax);
    backlog += (queue.waitingWeight * estimates.cycleMs(hops, size)) / size / timeBudgetMs;
  }
  return backlog;
}
