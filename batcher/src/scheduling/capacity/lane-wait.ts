import type { Lane } from "../state/lane.ts";
import type { State } from "../state/state.ts";
import { laneSituation } from "./situation.ts";
import { soonestSlot } from "./worker-slot.ts";

/** Says what the tasks of a lane wait for, by the rules of `dispatchBatches`. Changes nothing. */
export function laneWait(state: State, lane: Lane, now: number): LaneWait {
  const { waitingCount, hold, queue } = lane;
  if (waitingCount === 0) return { kind: "nothing_waits" };
  const situation = laneSituation(state, lane, now);
  const { loads, sizing } = situation;
  if (loads.length === 0) return { kind: "no_worker" };
  const slot = soonestSlot(situation, lane.estimates.lightLoad(Math.min(waitingCount, sizing.usefulSize)));
  if (slot === undefined) {
    const freeAt = Math.min(...loads.map((load) => load.freeAt));
    return { kind: "all_busy", freeInMs: Math.max(0, freeAt - now) };
  }
  if (slot.sendAt > now) return { kind: "staging", sendInMs: slot.sendAt - now };
  if (!hold.isHeld) return { kind: "due" };
  const heldUntil = (queue.oldest?.queuedAt ?? now) + sizing.holdMs;
  return { kind: "held", floor: sizing.floor, holdMaxMs: Math.max(0, heldUntil - now) };
}

/** Reason for which the tasks of a lane wait. */
export type LaneWait =
  | { kind: "nothing_waits" }
  | { kind: "no_worker" }
  /** Every worker has a batch running and one staged; the first has run both in about this time. */
  | { kind: "all_busy"; freeInMs: number }
  /** A worker takes the next batch in this time: just before its running one ends. */
  | { kind: "staging"; sendInMs: number }
  /** A worker is free, and the lane waits for more tasks. */
  | { kind: "held"; floor: number; holdMaxMs: number }
  /** A worker can take the next batch now, or something has just changed. */
  | { kind: "due" };
