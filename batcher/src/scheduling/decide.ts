import { type BatchId, batchTasks } from "@faceline/contracts/wire/batch";
import type { CallId, TaskId } from "@faceline/contracts/wire/ids";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { refusal } from "./admission.ts";
import { pump } from "./dispatch.ts";
import { recover, takeBack } from "./recovery.ts";
import { hear } from "./reports.ts";
import { type Event, end, laneNamed, type Move, type State } from "./state.ts";
import { silenceMaxMs } from "./workers.ts";

/**
 * The batching policy of a pool. `decide` is told what happened and when, and says what to do: it holds no timer, no
 * socket, no clock and no random number, so the same code runs in production, in simulations and in tests.
 *
 *     arrive ─► admission ─► lane ─► dispatch ─► a worker ─► report ─► ended
 *                  │                    │           │
 *                  └► shed              └► expired  └► lost, failed ─► recovery ─► lane
 *
 * Once a call has arrived, the state owns its tasks and hands each out exactly once: as an `answer` or as `ended`.
 */
export function decide(state: State, event: Event, now: number): Move[] {
  forgiveOwnStall(state, now);
  const moves = take(state, event, now);
  recover(state, now, moves);
  pump(state, now, moves);
  return moves;
}

/** When we stood still ourselves, the reports of that time still wait to be read: no worker was silent. */
function forgiveOwnStall(state: State, now: number): void {
  const stoodMs = now - state.decidedAt;
  state.decidedAt = now;
  if (stoodMs < ownStallMs) return;
  for (const worker of state.workers.values()) worker.reportedAt += stoodMs;
}

/** Somebody tells the time several times a second. */
const ownStallMs = silenceMaxMs / 2;

function take(state: State, event: Event, now: number): Move[] {
  switch (event.kind) {
    case "arrive":
      return arrive(state, event.call, now);
    case "report":
      return hear(state, event.report, now);
    case "cancel":
      return cancel(state, event.call);
    case "undelivered":
      return undelivered(state, event.batch);
    case "drain":
      state.draining = true;
      return [];
    case "timer":
      return [];
  }
}

function arrive(state: State, call: CallTasks, now: number): Move[] {
  const lane = laneNamed(state, call.lane);
  const fresh = batchTasks(call).filter((task) => !state.open.has(task.id));
  if (fresh.length === 0) return [];
  const waiting = fresh.filter((task) => !underWay(state, task.id));

  const refused = waiting.length === 0 ? undefined : refusal(state, lane, call, waiting.length, now);
  if (refused !== undefined) return fresh.map((task) => ({ kind: "answer", task, outcome: refused }));
  for (const task of fresh) state.open.set(task.id, { task, lane: lane.name });
  lane.tenants.add(call.tenant, waiting, now);
  lane.arrivals.arrive(waiting.length, call.deadlineAt - now, now);
  return [];
}

/** A worker has it already: from the batcher before this one, or before this one's partition moved back. */
function underWay(state: State, task: TaskId): boolean {
  for (const each of state.sent.values()) {
    if (each.adopted && !each.lost && each.tasks.includes(task)) return true;
  }
  return false;
}

/** What still waits is dropped; what was sent goes on. */
function cancel(state: State, call: CallId): Move[] {
  const dropped = [...state.lanes.values()].flatMap((lane) => lane.removeCall(call));
  if (dropped.length === 0) return [];
  return [
    end(
      state,
      dropped.map((task) => task.id),
    ),
  ];
}

function undelivered(state: State, batch: BatchId): Move[] {
  const sent = state.sent.get(batch);
  return sent === undefined || sent.received || sent.lost ? [] : takeBack(state, sent, "undelivered");
}
