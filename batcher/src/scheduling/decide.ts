import type { BatchId, BatchTask } from "@faceline/contracts/batch";
import type { CallId, TaskId } from "@faceline/contracts/ids";
import type { Report } from "@faceline/contracts/report";
import type { CallTasks } from "@faceline/contracts/task";
import { refusal } from "./admission.ts";
import { pump } from "./dispatch.ts";
import { recover, takeBack } from "./recovery.ts";
import { type Event, laneNamed, type Move, type State } from "./state.ts";
import { overrunMs } from "./workers.ts";

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
  const moves = take(state, event, now);
  moves.push(...recover(state, now));
  moves.push(...pump(state, now));
  return moves;
}

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
    case "timer":
      return [];
  }
}

function arrive(state: State, call: CallTasks, now: number): Move[] {
  const lane = laneNamed(state, call.lane);
  const { ingress, arrivedAt, deadlineAt, options, traceparent } = call;
  const fresh = call.tasks
    .filter((id) => !state.open.has(id))
    .map((id): BatchTask => ({ id, ingress, arrivedAt, deadlineAt, options, traceparent }));
  if (fresh.length === 0) return [];
  // A worker may have it already: from the batcher before this one, or before this one's partition moved back.
  const underWay = new Set(
    [...state.sent.values()].filter((each) => !each.lost).flatMap((each) => each.tasks),
  );
  const waiting = fresh.filter((task) => !underWay.has(task.id));

  const refused = waiting.length === 0 ? undefined : refusal(state, lane, waiting, now);
  if (refused !== undefined) return fresh.map((task) => ({ kind: "answer", task, outcome: refused }));
  for (const task of fresh) state.open.set(task.id, { task, lane: lane.name, attempts: 0 });
  lane.add(waiting);
  return [];
}

/** A report is a worker's whole state: it replaces what was known. An older one is ignored. */
function hear(state: State, report: Report, now: number): Move[] {
  const known = state.workers.get(report.worker);
  if (known !== undefined && known.report.sequence >= report.sequence) return [];
  state.workers.set(report.worker, { id: report.worker, report, reportedAt: now, suspect: false });
  for (const loaded of report.lanes) laneNamed(state, loaded.lane).warm(loaded.sizes);

  const heldNow = [
    ...report.answering,
    ...(report.running === null ? [] : [report.running]),
    ...report.staged,
  ];
  for (const held of heldNow) {
    const sent = state.sent.get(held.batch);
    // The partition has moved: the batch is run by its new holder.
    if (sent !== undefined) Object.assign(sent, { worker: report.worker, received: true });
    else adopt(state, report.worker, held, now);
  }
  const moves: Move[] = [];
  const named = new Set([...heldNow, ...report.finished].map((each) => each.batch));
  for (const sent of state.sent.values()) {
    // It had it and has it no more, and how it ended was in a report that we never got.
    if (sent.worker === report.worker && sent.received && !sent.lost && !named.has(sent.id)) {
      moves.push(...takeBack(state, sent, "lost"));
    }
  }
  for (const finished of report.finished) {
    const sent = state.sent.get(finished.batch);
    if (sent === undefined) continue;
    const lane = laneNamed(state, sent.lane);
    if (finished.end === "failed") {
      if (sent.lost) state.sent.delete(sent.id);
      else moves.push(...takeBack(state, sent, "failed"));
      continue;
    }
    if (finished.size > 0) {
      lane.run.learn(lane.bucket(finished.size), finished.runMs);
      lane.prepare.learn(finished.size, finished.prepareMs);
    }
    state.sent.delete(sent.id);
    moves.push(end(state, sent.tasks));
  }
  return moves;
}

/** A batch that a predecessor sent: its tasks will be read again, and must not be sent twice. */
function adopt(state: State, worker: string, held: Report["staged"][number], now: number): void {
  const lane = laneNamed(state, held.lane);
  const predictedRunMs = lane.run.meanMs(lane.bucket(held.tasks.length));
  state.sent.set(held.batch, {
    id: held.batch,
    lane: held.lane,
    tasks: held.tasks,
    attempt: 1,
    worker,
    received: true,
    predictedRunMs,
    receiveBy: now + overrunMs(predictedRunMs),
    lost: false,
    suspicious: false,
  });
}

/** What still waits is dropped; what was sent goes on. */
function cancel(state: State, call: CallId): Move[] {
  const dropped = [...state.lanes.values()].flatMap((lane) => lane.removeCall(call));
  return dropped.length === 0
    ? []
    : [
        end(
          state,
          dropped.map((task) => task.id),
        ),
      ];
}

function undelivered(state: State, batch: BatchId): Move[] {
  const sent = state.sent.get(batch);
  return sent === undefined || sent.received ? [] : takeBack(state, sent, "undelivered");
}

/** Ended tasks leave the lane too: a batch that was given up for lost may answer while its parts still wait. */
function end(state: State, tasks: TaskId[]): Move {
  const ended = tasks.filter((id) => state.open.delete(id));
  const gone = new Set(ended);
  for (const lane of state.lanes.values()) lane.removeTasks(gone);
  return { kind: "ended", tasks: ended };
}
