import type { LaneWait } from "@faceline/runtime/live/state";
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
