import type { LaneState } from "@faceline/contracts/pool";
import { expectedWaitMs } from "./admission.ts";
import type { State } from "./state.ts";
import { inService, serves } from "./workers.ts";

/** What the ingress needs to know to refuse before it reads a body. */
export function laneStates(state: State, now: number): LaneState[] {
  return [...state.lanes.values()].map((lane) => {
    const workers = [...state.workers.values()].filter(
      (each) => inService(each, now) && serves(each, lane.name),
    );
    const loaded = workers[0]?.report.lanes.find((each) => each.lane === lane.name);
    return {
      lane: lane.name,
      waiting: lane.waiting,
      workers: workers.length,
      expectedWaitMs: Math.round(expectedWaitMs(state, lane, lane.waiting, now)),
      expectedRunMs: Math.round(lane.run.meanMs(lane.bucket(1))),
      batchMax: lane.batchMax,
      executionProvider: loaded?.executionProvider ?? "none",
      precision: loaded?.precision ?? "none",
    };
  });
}
