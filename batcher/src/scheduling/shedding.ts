import type { BatchTask } from "@faceline/contracts/wire/batch";
import { callIdOf } from "@faceline/contracts/wire/ids";
import type { ShedReason } from "@faceline/contracts/wire/outcome";
import type { Lane } from "./lane.ts";
import { endsAtLatest, type Seat } from "./seats.ts";
import type { Move, State } from "./state.ts";
import type { Waiting } from "./tenants.ts";

// The safety net behind admission: what was admitted and can no longer be answered in time is dropped where it waits.
// A task that goes takes its call's waiting siblings with it: without it their answers are of no use.

/** Nobody listens any more. */
export function dropExpired(state: State, lane: Lane, now: number): Move[] {
  const expired: BatchTask[] = [];
  const late = (task: BatchTask) => task.deadlineAt <= now;
  for (let head = lane.tenants.head; head !== undefined && late(head.task); head = lane.tenants.head) {
    lane.tenants.remove(head);
    expired.push(head.task);
  }
  for (const part of lane.parts) expired.push(...part.tasks.filter(late));
  if (lane.parts.some((part) => part.tasks.some(late))) lane.removeTasks(expired.map((task) => task.id));
  return expired.map((task) => {
    state.open.delete(task.id);
    return { kind: "answer", task, outcome: { kind: "expired", lateByMs: now - task.deadlineAt } };
  });
}

/** Heads that would be late even alone on the worker that is free first. */
export function shedHopeless(state: State, lane: Lane, seat: Seat, now: number): Move[] {
  const moves: Move[] = [];
  const endsAt = endsAtLatest(state, lane, seat, 1, now);
  for (let head = lane.tenants.head; head !== undefined; head = lane.tenants.head) {
    if (endsAt <= head.task.deadlineAt || callIdOf(head.task.id) === lane.trial) break;
    moves.push(...shed(state, lane, head.task, "deadline_infeasible", seat, now));
  }
  return moves;
}

/** Likewise of a part that came back: it is not mixed with others, so it has to be in time as it is. */
export function shedHopelessOfPart(state: State, lane: Lane, seat: Seat, now: number): Move[] {
  const tasks = lane.parts[0]?.tasks;
  if (tasks === undefined) return [];
  const endsAt = endsAtLatest(state, lane, seat, Math.min(tasks.length, seat.sizeMax), now);
  const hopeless = tasks.filter((task) => endsAt > task.deadlineAt);
  return hopeless.flatMap((task) => shed(state, lane, task, "deadline_infeasible", seat, now));
}

/**
 * A head so urgent that the batch it allows is too small to keep up would make everybody behind it late: it is dropped
 * early (as in Nexus). But not where its call's other tasks were sent already, and not at the cost of a tenant that
 * keeps to its share: then the smaller batch is run.
 */
export function shedEarly(state: State, lane: Lane, urgent: Waiting, seat: Seat, now: number): Move[] {
  const spared = urgent.call.begun || lane.tenants.withinShare(urgent.tenant.name);
  return spared ? [] : shed(state, lane, urgent.task, "early_drop", seat, now);
}

function shed(
  state: State,
  lane: Lane,
  task: BatchTask,
  reason: ShedReason,
  seat: Seat,
  now: number,
): Move[] {
  const predictedMs = endsAtLatest(state, lane, seat, 1, now) - now;
  const retryAfterMs = seat.freeAt - now;
  return lane.removeCall(callIdOf(task.id)).map((task) => {
    state.open.delete(task.id);
    return { kind: "answer", task, outcome: { kind: "shed", reason, predictedMs, retryAfterMs } };
  });
}
