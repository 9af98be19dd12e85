import type { LaneId } from "@faceline/contracts/wire/ids";

/**
 * Decides what a worker has to unload before it can load a lane within `bytesMax`: the lanes whose last use
 * is longest ago. A lane that would give back nothing, because others use its models, stays. Where even an
 * empty worker has too little memory, all leave: settings that allow that are refused at the start.
 */
export function planLoad(lane: LaneId, loaded: readonly LaneUse[], { bytesOf, bytesMax }: Bound): LoadPlan {
  const kept = loaded.toSorted((a, b) => b.usedAt - a.usedAt);
  const fits = (others: readonly LaneUse[]) =>
    bytesOf([lane, ...others.map((each) => each.lane)]) <= bytesMax;
  const leaving: LaneUse[] = [];
  while (kept.length > 0 && !fits(kept)) leaving.unshift(kept.pop()!);
  for (const each of leaving) if (fits([...kept, each])) kept.push(each);
  const unloads = leaving.filter((each) => !kept.includes(each));
  return {
    unloads: unloads.map((each) => each.lane),
    at: Math.max(Number.NEGATIVE_INFINITY, ...unloads.map((each) => each.loadedAt + stayMs)),
  };
}

/**
 * A loaded lane stays for so long. A load takes some 3 s, so a worker whose lanes take turns loads for a
 * quarter of its time at most, and a call that waits for a turn is within the default deadline.
 */
export const stayMs = 10_000;

/** `at`: the instant from which all of `unloads` may leave. */
export type LoadPlan = { unloads: LaneId[]; at: number };

/** A loaded lane: when it was loaded, and when a team used it last. */
export type LaneUse = { lane: LaneId; loadedAt: number; usedAt: number };

type Bound = {
  /** Memory of these lanes together. */
  bytesOf(lanes: readonly LaneId[]): number;
  bytesMax: number;
};
