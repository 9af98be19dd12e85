// Tested by loadable-lanes.test.ts.
import type { LaneState } from "@faceline/contracts/wire/pool-state";
import type { LoadableLane } from "@faceline/contracts/wire/report";
import type { Lane } from "./lane.ts";
import type { LaneSituation } from "./situation.ts";
import type { State } from "./state.ts";
import { isInService, type Worker } from "./workers.ts";

/**
 * Returns which worker is to load a lane next; null if none has to. One at a time: another one follows where
 * tasks have waited for a while beside those that have it. Other lanes leave only for a lane that no worker
 * has and a team's call wants. So neither two busy lanes nor anonymous calls make workers load again and
 * again.
 */
export function nextLoad({ state, lane, loads, now }: LaneSituation): LaneState["load"] {
  const needs =
    loads.length === 0 ? needsOfUnloaded(lane, now) : { load: isCrowded(lane, now), unload: false };
  if (!needs.load) return null;
  const [best] = loadersOf(state, lane, now)
    .filter(
      ({ worker, loadable }) => isLoading(worker, lane) || needs.unload || loadable.unloads.length === 0,
    )
    .map((loader) => ({ loader, rank: rankOf(state, lane, loader, now) }))
    .toSorted((a, b) => compare(a.rank, b.rank));
  return best === undefined ? null : { worker: best.loader.worker.report.worker, mayUnload: needs.unload };
}

/** Notes since when tasks have waited in each lane without a pause. */
export function noteQueues({ lanes }: Pick<State, "lanes">, now: number): void {
  for (const lane of lanes.values()) {
    if (lane.waitingCount === 0) lane.waitingSince = undefined;
    else lane.waitingSince ??= now;
  }
}

function needsOfUnloaded(lane: Lane, now: number): { load: boolean; unload: boolean } {
  const isWanted = (serviceClass: "standard" | "best_effort") =>
    lane.waiting[serviceClass].count > 0 || now - lane.wantedAt[serviceClass] < wantedForMs;
  const unload = isWanted("standard");
  return { load: unload || isWanted("best_effort"), unload };
}

const isCrowded = ({ waitingSince }: Lane, now: number): boolean =>
  waitingSince !== undefined && now - waitingSince >= crowdedAfterMs;

function loadersOf({ workers }: State, lane: Lane, now: number): Loader[] {
  return [...workers.values()].flatMap((worker) => {
    const loadable = worker.report.loadable.find((each) => each.lane === lane.id);
    return loadable === undefined || !isInService(worker, now) ? [] : { worker, loadable };
  });
}

/** What is less comes first: the worker that loads it already, then the one where it costs least. */
function rankOf(state: State, lane: Lane, { worker, loadable }: Loader, now: number): (number | string)[] {
  const { report, id } = worker;
  const lastCopies = loadable.unloads.filter((left) => !hasOtherCopy(state, left, worker, now));
  return [
    isLoading(worker, lane) ? 0 : 1,
    lastCopies.length,
    loadable.unloads.length,
    report.loading === null ? 0 : 1,
    Math.max(now, loadable.at),
    report.lanes.length,
    id,
  ];
}

const isLoading = ({ report }: Worker, { id }: Lane): boolean => report.loading === id;

function hasOtherCopy({ workers }: State, id: Lane["id"], without: Worker, now: number): boolean {
  return workers
    .values()
    .some(
      (each) =>
        each !== without && isInService(each, now) && each.report.lanes.some(({ lane }) => lane === id),
    );
}

function compare(a: (number | string)[], b: (number | string)[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index]!;
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}

/** A lane is loaded for a call that was refused too, if its worker has seen a state by then. */
const wantedForMs = 2_000;

/** A burst is over by then; longer, the workers of the lane do not suffice. */
const crowdedAfterMs = 1_000;

type Loader = { worker: Worker; loadable: LoadableLane };
