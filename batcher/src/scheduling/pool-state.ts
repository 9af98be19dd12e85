import type { LaneState, PoolState } from "@faceline/contracts/wire/pool-state";
import { expectedStartAt, type LaneSituation, laneSituation } from "./capacity/situation.ts";
import type { State } from "./state/state.ts";
import { isSilent } from "./state/workers.ts";

/** Returns what the ingress needs to refuse a call before it reads the body. */
export function laneStates(state: State, now: number): LaneState[] {
  return [...state.lanes.values()].map((lane) => {
    const situation = laneSituation(state, lane, now);
    const [first] = situation.loads;
    const loaded = first?.worker.report.lanes.find((each) => each.lane === lane.id);
    // No tenant is served sooner than one with nothing waiting. Admission refuses those that have more.
    const position = lane.queue.activeTenants + 1;
    const deadlineAt = now + lane.estimates.arrivals.timeBudgetMs;
    return {
      lane: lane.id,
      build: lane.build,
      waiting: lane.waitingCount,
      workers: situation.loads.length,
      expectedWaitMs: Math.round(expectedStartAt(situation, { position, deadlineAt }) - now),
      expectedRunMs: Math.round(lane.estimates.runMs(1)),
      taskMs: taskMsOf(situation),
      batchMax: Math.min(lane.estimates.batchMax, state.settings.batchMax),
      executionProvider: loaded?.executionProvider ?? "none",
      precisions: loaded?.precisions ?? [],
    };
  });
}

/**
 * Returns the server that keeps tasks from the workers; undefined if none does. `kafka` and `reports`:
 * whether this batcher can send batches, and has been able to receive reports for long enough.
 */
export function blockedBy(
  { workers }: State,
  { kafka, reports }: { kafka: boolean; reports: boolean },
  now: number,
): PoolState["blockedBy"] {
  if (!kafka) return "kafka";
  if (!reports) return "redis-volatile";
  const isCutOff = workers
    .values()
    .some((each) => each.lostPartitions && !each.report.draining && !isSilent(each, now));
  return isCutOff ? "kafka" : undefined;
}

/**
 * A worker's time for a task, without hops: hop times change with every message, and each change would be
 * published.
 */
const taskMsOf = ({ lane, sizing }: LaneSituation): number => {
  const taskMs = lane.estimates.runMs(sizing.usefulSize) / sizing.usefulSize / sizing.workers;
  return Math.round(taskMs * 1_000) / 1_000;
};

/**
 * Whether the state differs so much from the published one that it must be published at once: another number
 * of workers or lanes, or a queue wait that has doubled or halved and changed by more than 20 ms.
 */
export function hasJumped(published: LaneState[], current: LaneState[]): boolean {
  if (published.length !== current.length) return true;
  return current.some((lane) => {
    const before = published.find(
      (each) => each.lane === lane.lane && each.build?.digest === lane.build?.digest,
    );
    if (before === undefined || before.workers !== lane.workers) return true;
    const least = Math.min(before.expectedWaitMs, lane.expectedWaitMs);
    const most = Math.max(before.expectedWaitMs, lane.expectedWaitMs);
    return most - least > waitJumpMs && most >= 2 * least;
  });
}

const waitJumpMs = 20;
