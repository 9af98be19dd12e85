import { type LoadableLane, laneStayMs } from "@faceline/contracts/wire/report";
import type { Lane } from "../state/lane.ts";
import type { State } from "../state/state.ts";
import { assumedAbsenceMs, hasWorker, isInService, type Worker } from "../state/workers.ts";

// Lanes that no worker has, and that calls of teams want, are loaded in turn: the one that was wanted first
// goes first. Otherwise two lanes could take turns in the memory of a worker, and a third one never came.

/** Notes since when each lane is wanted while no worker has it. */
export function noteWants(state: State, now: number): void {
  for (const lane of state.lanes.values()) {
    if (isWanted(lane, "standard", now) && !hasWorker(state, lane, now)) lane.wantedSince ??= now;
    else lane.wantedSince = undefined;
  }
}

/** Whether calls of a class wait, or were refused lately because no worker had the lane. */
export const isWanted = (lane: Lane, serviceClass: "standard" | "best_effort", now: number): boolean =>
  lane.waiting[serviceClass].count > 0 || now - lane.wantedAt[serviceClass] < wantedForMs;

/** A lane is loaded for a call that was refused too, if its worker has seen a state by then. */
const wantedForMs = 2_000;

/** Returns which worker loads which wanted lane next. A lane whose turn has not come is not among them. */
export function loadTurns(state: State, now: number): Map<Lane, Worker> {
  const turns = new Map<Lane, Worker>();
  const taken = new Set<Worker>();
  for (const lane of inTurn(state, now)) {
    const [best] = loadersOf(state, lane, now)
      .filter(({ worker }) => !taken.has(worker))
      .map((loader) => ({ worker: loader.worker, rank: rankOf(state, lane, loader, now) }))
      .toSorted((a, b) => compareRanks(a.rank, b.rank));
    if (best === undefined) continue;
    turns.set(lane, best.worker);
    taken.add(best.worker);
  }
  return turns;
}

/**
 * The earliest instant at which a worker in service could have loaded the lane, after the lanes whose turn
 * comes first, by the load times that workers have measured; `assumedAbsenceMs` from now if none can load it.
 */
export function loadEndsAt(state: State, lane: Lane, now: number): number {
  const lanes = inTurn(state, now);
  if (!lanes.includes(lane)) lanes.push(lane);
  const freeAt = new Map<Worker, number>();
  for (const each of lanes) {
    const [first] = loadEnds(state, each, freeAt, now).toSorted((a, b) => a.endsAt - b.endsAt);
    if (each === lane) return first?.endsAt ?? now + assumedAbsenceMs;
    if (first === undefined) continue;
    const { worker, loadable, endsAt } = first;
    // Where nothing else could leave, the next lane waits until this one has stayed.
    const isAlone = worker.report.lanes.length <= loadable.unloads.length;
    freeAt.set(worker, endsAt + (isAlone ? laneStayMs : 0));
  }
  return now + assumedAbsenceMs;
}

function loadEnds(state: State, lane: Lane, freeAt: ReadonlyMap<Worker, number>, now: number) {
  const loaders = loadersOf(state, lane, now);
  const measured = loaders.flatMap(({ loadable }) => loadable.loadMs ?? []);
  const usualMs = measured.length === 0 ? assumedAbsenceMs : Math.max(...measured);
  return loaders.map((loader) => {
    const { worker, loadable } = loader;
    const { at, loadMs = usualMs } = loadable;
    const endsAt = isLoading(worker, lane)
      ? now + remainingMs(loadMs, now - at)
      : Math.max(now, at, freeAt.get(worker) ?? now) + loadMs;
    return { ...loader, endsAt };
  });
}

/** An overdue load is assumed to need its elapsed time once more. */
function remainingMs(loadMs: number, elapsedMs: number): number {
  if (elapsedMs <= 0) return loadMs;
  return elapsedMs < loadMs ? loadMs - elapsedMs : elapsedMs;
}

/** Wanted lanes in turn: those whose load has begun, then those that were wanted first. */
function inTurn({ lanes, workers }: State, now: number): Lane[] {
  const isBegun = (lane: Lane) =>
    workers.values().some((worker) => isLoading(worker, lane) && isInService(worker, now));
  return [...lanes.values()]
    .filter((lane) => lane.wantedSince !== undefined)
    .map((lane) => ({ lane, rank: [isBegun(lane) ? 0 : 1, lane.wantedSince!] }))
    .toSorted((a, b) => compareRanks(a.rank, b.rank))
    .map(({ lane }) => lane);
}

/** The workers in service that could load the lane. */
export function loadersOf({ workers }: State, lane: Lane, now: number): Loader[] {
  return [...workers.values()].flatMap((worker) => {
    const loadable = worker.report.loadable.find((each) => each.lane === lane.id);
    return loadable === undefined || !isInService(worker, now) ? [] : { worker, loadable };
  });
}

/** Sort key, ascending: the worker that loads the lane already, then the one where a load costs least. */
export function rankOf(state: State, lane: Lane, { worker, loadable }: Loader, now: number): Rank {
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

export const isLoading = ({ report }: Worker, { id }: Lane): boolean => report.loading === id;

function hasOtherCopy({ workers }: State, id: Lane["id"], without: Worker, now: number): boolean {
  return workers
    .values()
    .some(
      (each) =>
        each !== without && isInService(each, now) && each.report.lanes.some(({ lane }) => lane === id),
    );
}

export function compareRanks(a: Rank, b: Rank): number {
  for (const [index, value] of a.entries()) {
    const other = b[index]!;
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}

type Rank = (number | string)[];
type Loader = { worker: Worker; loadable: LoadableLane };
