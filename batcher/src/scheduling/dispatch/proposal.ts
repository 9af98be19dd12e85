import { dropExpired, shedInfeasibleOfRetry } from "../admission/shedding.ts";
import { nextSlot } from "../capacity/next-slot.ts";
import { laneSituation } from "../capacity/situation.ts";
import type { WorkerSlot } from "../capacity/worker-slot.ts";
import type { Lane } from "../state/lane.ts";
import type { Move, State } from "../state/state.ts";
import { chooseBatch, type SendProposal } from "./batch-choice.ts";

/** Returns what a lane would send now, or when to propose again, and the tasks that it shed. */
export function proposeBatch(state: State, lane: Lane, now: number): { proposal: Proposal; shed: Move[] } {
  const shed: Move[] = [];
  // One more round after tasks were shed: the next task may need another slot.
  for (;;) {
    shed.push(...dropExpired(state, lane, now));
    if (lane.waitingCount === 0) return { proposal: { kind: "nothing" }, shed };
    const deadlineAt = lane.earliestDeadlineAt;
    const laneNow = laneSituation(state, lane, now);
    const slot = nextSlot(laneNow);
    // Without a slot, or if only heavy tasks wait for a worker, the next report wakes us, not a timer.
    if (slot === undefined || slot.sendAt > now) {
      const until = Math.min(slot?.sendAt ?? deadlineAt, deadlineAt);
      return { proposal: { kind: "wait", until, deadlineAt, slot }, shed };
    }
    const situation = { ...laneNow, slot };
    const infeasible = shedInfeasibleOfRetry(situation);
    shed.push(...infeasible);
    if (infeasible.length > 0) continue;
    if (lane.retryParts.length > 0) return { proposal: retryOf(lane, slot), shed };
    const { choice, shed: late } = chooseBatch(situation);
    shed.push(...late);
    switch (choice.kind) {
      case "other_slot":
        continue;
      case "hold":
        return { proposal: { kind: "hold", until: Math.min(choice.until, deadlineAt) }, shed };
      case "send":
      case "nothing":
        return { proposal: choice, shed };
    }
  }
}

/** Retry parts go before all other tasks, as they are. */
const retryOf = (lane: Lane, slot: WorkerSlot): SendProposal => ({
  kind: "send",
  lane,
  slot,
  reason: "retry",
  deadlineAt: Number.NEGATIVE_INFINITY,
  tasks: [],
});

export type Proposal =
  | SendProposal
  /** Nothing to send before `until`. With a slot: the lane reserves that one. */
  | { kind: "wait"; until: number; deadlineAt: number; slot: WorkerSlot | undefined }
  /** A worker is free, and the lane waits for more tasks. */
  | { kind: "hold"; until: number }
  /** No task waits. */
  | { kind: "nothing" };
