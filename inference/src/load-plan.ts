import type { LaneId } from "@faceline/contracts/wire/ids";
import { laneStayMs } from "@faceline/contracts/wire/report";

/**
 * Decides what a worker has to unload before it can load a lane within `bytesMax`: the lanes that were used
 * least lately, and of those with about the same use, the ones whose last use is longest ago. (By the last
 * use alone, a busy lane would leave when a rare one gets its task.) A lane that would give back nothing,
 * because others use its models, stays. Where even an empty worker has too little memory, all leave: settings
 * that allow that are refused at the start.
 */
export function planLoad(lane: LaneId, loaded: readonly LaneUse[], { bytesOf, bytesMax }: Bound): LoadPlan {
  const kept = loaded.toSorted((a, b) => useRank(b) - useRank(a) || b.usedAt - a.usedAt);
  const fits = (others: readonly LaneUse[]) =>
    bytesOf([lane, ...others.map((each) => each.lane)]) <= bytesMax;
  const leaving: LaneUse[] = [];
  while (kept.length > 0 && !fits(kept)) leaving.unshift(kept.pop()!);
  for (const each of leaving) if (fits([...kept, each])) kept.push(each);
  const unloads = leaving.filter((each) => !kept.includes(each));
  return {
    unloads: unloads.map((each) => each.lane),
    at: Math.max(Number.NEGATIVE_INFINITY, ...unloads.map((each) => each.loadedAt + laneStayMs)),
  };
}

/** Lanes whose recent tasks differ by less than four times count as alike, or noise would decide. */
const useRank = ({ recentTasks }: LaneUse): number => Math.floor(Math.log(1 + recentTasks) / Math.log(4));

/** Weighs `tasks` that were counted `elapsedMs` ago: later ones count more. */
export const stillRecent = (tasks: number, elapsedMs: number): number =>
  tasks * Math.exp(-Math.max(0, elapsedMs) / recentMs);

/** Some turns of two lanes. */
const recentMs = 30_000;

/** `at`: the instant from which all of `unloads` may leave. */
export type LoadPlan = { unloads: LaneId[]; at: number };

/** A loaded lane: when it was loaded, when a team used it last, and the tasks of teams lately. */
export type LaneUse = { lane: LaneId; loadedAt: number; usedAt: number; recentTasks: number };

type Bound = {
  /** Memory of these lanes together. */
  bytesOf(lanes: readonly LaneId[]): number;
  bytesMax: number;
};
