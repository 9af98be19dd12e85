import type { Batch, BatchId, BatchTask, DispatchReason } from "@faceline/contracts/batch";
import { chooseBatch } from "./batch-choice.ts";
import { batchSizing } from "./batch-size.ts";
import type { Lane } from "./lane.ts";
import { type Seat, soonestSeat } from "./seats.ts";
import { dropExpired, shedHopelessOfPart } from "./shedding.ts";
import type { Move, State } from "./state.ts";
import { crowdMs, overrunMs, partitionOf, workloads } from "./workers.ts";

/**
 * Sends what should be sent now, batch by batch: each time, every lane says what it would send, and of those that may
 * the one that must begin first is sent. Work-conserving but for the hold that `batchSizing` allows.
 */
export function pump(state: State, now: number, moves: Move[]): void {
  for (;;) {
    let next: Ready | undefined;
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const lane of state.lanes.values()) {
      const proposal = propose(state, lane, now, moves);
      if (proposal.kind === "wait") wakeAt = Math.min(wakeAt, proposal.until);
      if (proposal.kind === "send" && !(next && next.beginBy <= proposal.beginBy)) next = proposal;
    }
    if (next === undefined) {
      if (Number.isFinite(wakeAt)) moves.push({ kind: "wake", at: wakeAt });
      return;
    }
    moves.push(send(state, next, now));
  }
}

/** What a lane would send now, or when it should be asked again. What it has to shed goes into `moves`. */
function propose(state: State, lane: Lane, now: number, moves: Move[]): Proposal {
  if (lane.waiting === 0) return { kind: "rest" };
  moves.push(...dropExpired(state, lane, now));
  if (lane.waiting === 0) return { kind: "rest" };
  const expiresAt = leastDeadline(lane);
  const loads = workloads(state, lane.name, now);
  const sizing = batchSizing(lane, state.hops, Math.max(1, loads.length), now);
  const seat = soonestSeat(state, lane, loads, sizing, now);
  // Without a seat the next report wakes us, not a timer.
  if (seat === undefined) return { kind: "wait", until: expiresAt };
  if (seat.takesAt > now) return { kind: "wait", until: Math.min(seat.takesAt, expiresAt) };

  moves.push(...shedHopelessOfPart(state, lane, seat, now));
  if (lane.parts[0] !== undefined) return proposePart(lane, seat);

  const choice = chooseBatch({ state, lane, seat, sizing, now }, moves);
  if (choice === undefined) return { kind: "rest" };
  if (choice.kind === "hold") return { kind: "wait", until: Math.min(choice.until, expiresAt) };
  const { count, reason, beginBy } = choice;
  const take = () => {
    lane.trial = undefined;
    return { tasks: lane.tenants.take(count), attempt: 1, lostWithWorker: false };
  };
  return { kind: "send", lane, seat, reason, beginBy, take };
}

function leastDeadline({ tenants, parts }: Lane): number {
  let least = tenants.head?.task.deadlineAt ?? Number.POSITIVE_INFINITY;
  for (const part of parts) for (const task of part.tasks) least = Math.min(least, task.deadlineAt);
  return least;
}

/** Parts of batches that came back go before all others, as they are. */
function proposePart(lane: Lane, seat: Seat): Proposal {
  const take = () => {
    const part = lane.parts[0]!;
    const tasks = part.tasks.splice(0, seat.sizeMax);
    if (part.tasks.length === 0) lane.parts.shift();
    return { ...part, tasks };
  };
  return { kind: "send", lane, seat, reason: "retry", beginBy: Number.NEGATIVE_INFINITY, take };
}

function send(state: State, { lane, seat, reason, take }: Ready, now: number): Move {
  const { tasks, attempt, lostWithWorker } = take();
  const id = `${state.batcher}/${++state.batchesMade}` as BatchId;
  const predictedRunMs = lane.meanMs(tasks.length);
  const batch: Batch = { id, lane: lane.name, reason, attempt, sentAt: now, predictedRunMs, tasks };
  const beginsBy = Math.max(seat.freeAt, now + state.hops.toWorker.ms);
  state.sent.set(id, {
    id,
    lane: lane.name,
    tasks: tasks.map((task) => task.id),
    attempt,
    worker: seat.worker.id,
    adopted: false,
    sentAt: now,
    received: false,
    predictedRunMs,
    crowdMs: crowdMs(tasks),
    receiveBy: beginsBy + overrunMs(predictedRunMs),
    lost: false,
    suspicious: lostWithWorker,
  });
  return { kind: "dispatch", partition: partitionOf(seat.worker), batch };
}

type Ready = {
  kind: "send";
  lane: Lane;
  seat: Seat;
  reason: DispatchReason;
  beginBy: number;
  take(): { tasks: BatchTask[]; attempt: number; lostWithWorker: boolean };
};

type Proposal = Ready | { kind: "wait"; until: number } | { kind: "rest" };
