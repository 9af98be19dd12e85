import type { Batch, BatchId, BatchTask, DispatchReason } from "@faceline/contracts/wire/batch";
import { chooseBatch } from "./batch-choice.ts";
import { batchSizing } from "./batch-size.ts";
import type { Lane } from "./lane.ts";
import { rivalsOf, workersLeft } from "./rivals.ts";
import { type Seat, soonestSeat } from "./seats.ts";
import { dropExpired, shedHopelessOfPart } from "./shedding.ts";
import type { Move, State } from "./state.ts";
import { crowdMs, overrunMs, partitionOf, workloads } from "./workers.ts";

/**
 * Sends what should be sent now, batch by batch: each time, every lane says what it would send, and of those that may
 * the one with the least deadline is sent. (Not the one that must begin first: what is urgent makes small batches, which
 * may begin later for it, and so a lane that fell behind once would never come first again.) Work-conserving but for
 * the hold that `batchSizing` allows.
 */
export function pump(state: State, now: number, moves: Move[]): void {
  for (;;) {
    const proposals: Proposal[] = [];
    for (const lane of state.lanes.values()) proposals.push(propose(state, lane, now, moves));
    let next: Ready | undefined;
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const each of proposals) {
      if (each.kind === "wait") wakeAt = Math.min(wakeAt, each.until);
      if (each.kind !== "send" || (next && next.deadlineAt <= each.deadlineAt)) continue;
      if (!proposals.some((other) => goesBefore(other, each))) next = each;
    }
    if (next === undefined) {
      if (Number.isFinite(wakeAt)) moves.push({ kind: "wake", at: wakeAt });
      return;
    }
    moves.push(send(state, next, now));
  }
}

/** It is more urgent and will take the same seat, only a little later as its batch is decoded in less time. */
function goesBefore(proposal: Proposal, { seat, deadlineAt }: Ready): boolean {
  return (
    proposal.kind === "wait" && proposal.seat?.worker === seat.worker && proposal.deadlineAt < deadlineAt
  );
}

/** What a lane would send now, or when it should be asked again. What it has to shed goes into `moves`. */
function propose(state: State, lane: Lane, now: number, moves: Move[]): Proposal {
  if (lane.waiting === 0) return { kind: "rest" };
  moves.push(...dropExpired(state, lane, now));
  if (lane.waiting === 0) return { kind: "rest" };
  const expiresAt = leastDeadline(lane);
  const loads = workloads(state, lane.name, now);
  const workers = Math.max(1, loads.length);
  const left = workersLeft(rivalsOf(state, lane, loads, now), workers, now);
  const sizing = batchSizing(lane, state.hops, { workers, left }, now);
  const seat = soonestSeat(state, lane, loads, sizing, now);
  // Without a seat the next report wakes us, not a timer.
  if (seat === undefined) return { kind: "wait", until: expiresAt, deadlineAt: expiresAt };
  if (seat.takesAt > now) {
    return { kind: "wait", until: Math.min(seat.takesAt, expiresAt), seat, deadlineAt: expiresAt };
  }

  moves.push(...shedHopelessOfPart(state, lane, seat, now));
  if (lane.parts[0] !== undefined) return proposePart(lane, seat);

  const choice = chooseBatch({ state, lane, seat, sizing, now }, moves);
  if (choice === undefined) return { kind: "rest" };
  if (choice.kind === "hold")
    return { kind: "wait", until: Math.min(choice.until, expiresAt), deadlineAt: expiresAt };
  const { count, reason, deadlineAt } = choice;
  const take = () => {
    lane.trial = undefined;
    return { tasks: lane.tenants.take(count), attempt: 1, lostWithWorker: false };
  };
  return { kind: "send", lane, seat, reason, deadlineAt, take };
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
  return { kind: "send", lane, seat, reason: "retry", deadlineAt: Number.NEGATIVE_INFINITY, take };
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
  deadlineAt: number;
  take(): { tasks: BatchTask[]; attempt: number; lostWithWorker: boolean };
};

type Proposal =
  | Ready
  /** With a seat: it will take that one. */
  | { kind: "wait"; until: number; deadlineAt: number; seat?: Seat }
  | { kind: "rest" };
