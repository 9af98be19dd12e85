import type { Batch, BatchId, BatchTask, DispatchReason } from "@faceline/contracts/batch";
import { callOf } from "@faceline/contracts/ids";
import type { Lane } from "./lane.ts";
import type { Move, State } from "./state.ts";
import { inService, overrunMs, partitionOf, serves, type Worker, workload } from "./workers.ts";

/** One batch runs and one is staged: never more. */
const batchesPerWorkerMax = 2;

/**
 * Sends what can be sent now. Work-conserving: a free worker and a waiting task make a batch at once. A busy worker
 * gets its next batch just in time: so early that its images are decoded as the running batch ends, and no earlier,
 * because until then the batch can still grow.
 */
export function pump(state: State, now: number): Move[] {
  const moves: Move[] = [];
  let wakeAt = Number.POSITIVE_INFINITY;
  for (const lane of byUrgency(state)) {
    for (;;) {
      moves.push(...dropExpired(state, lane, now));
      const first = lane.parts[0]?.tasks[0] ?? lane.head;
      if (first === undefined) break;
      const seat = soonestSeat(state, lane, now);
      if (seat === undefined || seat.takesAt > now) {
        wakeAt = Math.min(wakeAt, seat?.takesAt ?? first.deadlineAt, first.deadlineAt);
        break;
      }
      const part = lane.parts.shift();
      if (part !== undefined) {
        moves.push(send(state, lane, seat, part.tasks, "retry", part.attempt, part.lostWithWorker, now));
        continue;
      }
      const count = feasible(state, lane, seat, first, now);
      if (count === 0) {
        moves.push(...shedHopeless(state, lane, first, seat, now));
        continue;
      }
      const reason = count >= lane.usefulSize ? "full" : "slack";
      moves.push(send(state, lane, seat, lane.take(count), reason, 1, false, now));
    }
  }
  if (Number.isFinite(wakeAt)) moves.push({ kind: "wake", at: wakeAt });
  return moves;
}

/** EDF over batches: the lane whose head must begin first goes first. */
function byUrgency(state: State): Lane[] {
  const mustBeginAt = (lane: Lane) => (lane.head?.deadlineAt ?? 0) - lane.run.highMs(1);
  return [...state.lanes.values()]
    .filter((lane) => lane.waiting > 0)
    .toSorted((a, b) => b.parts.length - a.parts.length || mustBeginAt(a) - mustBeginAt(b));
}

/** The worker that can begin soonest with a batch of this lane, and when the batch should be sent to it. */
function soonestSeat(state: State, lane: Lane, now: number): Seat | undefined {
  const leadMs = state.settings.hopMs + lane.prepare.meanMs(Math.min(lane.waiting, lane.usefulSize));
  const seats: Seat[] = [];
  for (const worker of state.workers.values()) {
    if (!inService(worker, now) || !serves(worker, lane.name)) continue;
    const { batches, freeAt, suspicious } = workload(worker, state.sent.values(), now);
    if (batches >= batchesPerWorkerMax || (batches > 0 && suspicious)) continue;
    seats.push({ worker, freeAt, takesAt: batches === 0 ? now : freeAt - leadMs });
  }
  return seats.toSorted((a, b) => a.freeAt - b.freeAt)[0];
}

/** The most tasks that still meet the head's deadline, capped at the useful size. */
function feasible(state: State, lane: Lane, seat: Seat, head: BatchTask, now: number): number {
  for (let count = Math.min(lane.waiting, lane.usefulSize); count > 0; count--) {
    const preparedAt = now + state.settings.hopMs + lane.prepare.highMs(count);
    const beginsAt = Math.max(preparedAt, seat.freeAt);
    const endsAt = beginsAt + lane.run.highMs(lane.bucket(count)) + state.settings.replyMs;
    if (endsAt <= head.deadlineAt) return count;
  }
  return 0;
}

function send(
  state: State,
  lane: Lane,
  seat: Seat,
  tasks: BatchTask[],
  reason: DispatchReason,
  attempt: number,
  suspicious: boolean,
  now: number,
): Move {
  const id = `${state.batcher}/${++state.batchesMade}` as BatchId;
  const predictedRunMs = lane.run.meanMs(lane.bucket(tasks.length));
  const batch: Batch = { id, lane: lane.name, reason, attempt, sentAt: now, predictedRunMs, tasks };
  const beginsBy = Math.max(seat.freeAt, now + state.settings.hopMs);
  state.sent.set(id, {
    id,
    lane: lane.name,
    tasks: tasks.map((task) => task.id),
    attempt,
    worker: seat.worker.id,
    received: false,
    predictedRunMs,
    receiveBy: beginsBy + overrunMs(predictedRunMs),
    lost: false,
    suspicious,
  });
  for (const task of tasks) {
    const open = state.open.get(task.id);
    if (open !== undefined) open.attempts = attempt;
  }
  return { kind: "dispatch", partition: partitionOf(seat.worker), batch };
}

function dropExpired(state: State, lane: Lane, now: number): Move[] {
  return lane
    .remove((task) => task.deadlineAt <= now)
    .map((task) => {
      state.open.delete(task.id);
      return { kind: "answer", task, outcome: { kind: "expired", lateByMs: now - task.deadlineAt } };
    });
}

/** A head that cannot make it even alone. Its request is lost with it, so its waiting siblings go too. */
function shedHopeless(state: State, lane: Lane, head: BatchTask, seat: Seat, now: number): Move[] {
  const predictedMs = Math.max(0, seat.freeAt - now) + lane.run.highMs(1) + state.settings.replyMs;
  return lane.removeCall(callOf(head.id)).map((task) => {
    state.open.delete(task.id);
    const outcome = {
      kind: "shed",
      reason: "hopeless",
      predictedMs,
      retryAfterMs: seat.freeAt - now,
    } as const;
    return { kind: "answer", task, outcome };
  });
}

type Seat = { worker: Worker; freeAt: number; takesAt: number };
