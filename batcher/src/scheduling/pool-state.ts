import type { LaneState } from "@faceline/contracts/wire/pool-state";
import { expectedBegin } from "./admission.ts";
import type { State } from "./state.ts";
import { workloads } from "./workers.ts";

/** What the ingress needs to know to refuse before it reads a body. */
export function laneStates(state: State, now: number): LaneState[] {
  return [...state.lanes.values()].map((lane) => {
    const loads = workloads(state, lane.name, now);
    const loaded = loads[0]?.worker.report.lanes.find((each) => each.lane === lane.name);
    // Nobody is served sooner than a tenant that lets nothing stand: who has more standing is told by admission.
    const place = lane.tenants.active + 1;
    const deadlineAt = now + lane.arrivals.patienceMs;
    const { beginsAt } = expectedBegin(state, lane, { place, deadlineAt }, now);
    return {
      lane: lane.name,
      waiting: lane.waiting,
      workers: loads.length,
      expectedWaitMs: Math.round(beginsAt - now),
      expectedRunMs: Math.round(lane.meanMs(1)),
      batchMax: lane.batchMax,
      executionProvider: loaded?.executionProvider ?? "none",
      precisions: loaded?.precisions ?? [],
    };
  });
}

/**
 * What was said is so far from what is that the ingresses should not wait for the next regular state: another number of
 * workers or lanes, or a wait that has doubled or halved, and by more than 20 ms.
 */
export function jumped(said: LaneState[], is: LaneState[]): boolean {
  if (said.length !== is.length) return true;
  return is.some((lane) => {
    const before = said.find((each) => each.lane === lane.lane);
    if (before === undefined || before.workers !== lane.workers) return true;
    const least = Math.min(before.expectedWaitMs, lane.expectedWaitMs);
    const most = Math.max(before.expectedWaitMs, lane.expectedWaitMs);
    return most - least > waitJumpMs && most >= 2 * least;
  });
}

const waitJumpMs = 20;
