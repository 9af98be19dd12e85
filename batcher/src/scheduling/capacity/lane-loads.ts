import type { LaneState } from "@faceline/contracts/wire/pool-state";
import { type LoadableLane, laneStayMs } from "@faceline/contracts/wire/report";
import type { Lane } from "../state/lane.ts";
import type { State } from "../state/state.ts";
import { compareRanks, isLoading, isWanted, loadersOf, loadTurns, rankOf } from "./load-turns.ts";
import type { LaneSituation } from "./situation.ts";

/**
 * Returns which worker is to load a lane next; null if none has to. One at a time: another one follows where
 * tasks have waited for a while beside those that have it. Other lanes leave only for a lane that no worker
 * has and a team's call wants, or if no team has called them for a while. So neither two busy lanes nor
 * anonymous calls make workers load again and again, and no idle lane keeps a worker from a busy one.
 */
export function nextLoad({ state, lane, loads, now }: LaneSituation): LaneState["load"] {
  const turns = loadTurns(state, now);
  const turn = turns.get(lane);
  if (turn !== undefined) return { worker: turn.report.worker, mayUnload: true };
  if (lane.wantedSince !== undefined) return null;
  const isNeeded = loads.length === 0 ? isWanted(lane, "best_effort", now) : isCrowded(lane, now);
  if (!isNeeded) return null;
  const mayLeave = ({ unloads }: LoadableLane) =>
    loads.length > 0 && unloads.every((id) => isUncalled(state, id, now));
  const reserved = new Set(turns.values());
  const [best] = loadersOf(state, lane, now)
    .filter(({ worker }) => !reserved.has(worker))
    .filter(
      ({ worker, loadable }) =>
        isLoading(worker, lane) || loadable.unloads.length === 0 || mayLeave(loadable),
    )
    .map((loader) => ({ ...loader, rank: rankOf(state, lane, loader, now) }))
    .toSorted((a, b) => compareRanks(a.rank, b.rank));
  if (best === undefined) return null;
  const { worker, loadable } = best;
  // A worker whose lanes are about to leave reports none any more, and must not be stopped.
  const mayUnload = loads.length > 0 && (isLoading(worker, lane) || loadable.unloads.length > 0);
  return { worker: worker.report.worker, mayUnload };
}

/** Notes since when tasks have waited in each lane without a pause. */
export function noteQueues({ lanes }: Pick<State, "lanes">, now: number): void {
  for (const lane of lanes.values()) {
    if (lane.waitingCount === 0) lane.waitingSince = undefined;
    else lane.waitingSince ??= now;
  }
}

const isCrowded = ({ waitingSince }: Lane, now: number): boolean =>
  waitingSince !== undefined && now - waitingSince >= crowdedAfterMs;

/** A burst is over by then; longer, the workers of the lane do not suffice. */
const crowdedAfterMs = 1_000;

function isUncalled({ lanes }: State, id: Lane["id"], now: number): boolean {
  return lanes.values().every((lane) => lane.id !== id || now - lane.calledAt >= idleAfterMs);
}

/**
 * Time without a call of a team after which a lane makes room for one more copy of a crowded lane. It has
 * been idle for as long as a lane stays, so loading it again costs little beside that.
 */
const idleAfterMs = laneStayMs;
