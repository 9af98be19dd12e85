import type { DispatchReason } from "@faceline/contracts/wire/batch";
import type { BatchSizing } from "./batch-size.ts";
import type { Lane } from "./lane.ts";
import { beginsAtLatest, endsAtLatest, guardMs, type Seat } from "./seats.ts";
import { shedEarly, shedHopeless } from "./shedding.ts";
import type { Move, State } from "./state.ts";
import type { Waiting } from "./tenants.ts";

/**
 * What a lane would put on a seat now: the most tasks, in the order of turns, with which the most urgent of them still
 * meets its deadline. What cannot be met is shed on the way, into `moves`.
 *
 *     hopeless heads go ─► most in time ─► too few to keep up? an urgent head goes ─► floor met? send : hold
 */
export function chooseBatch(situation: Situation, moves: Move[]): Choice | undefined {
  const { state, lane, seat, sizing, now } = situation;
  const limit = Math.min(sizing.usefulSize, seat.sizeMax);
  for (;;) {
    moves.push(...shedHopeless(state, lane, seat, now));
    const waiting = lane.tenants.inTurn(limit);
    if (waiting.length === 0) return undefined;
    const { count, urgent } = mostInTime(situation, waiting);
    if (count < Math.min(sizing.deadlineSize, waiting.length) && !keepsUp(situation, count)) {
      const shed = shedEarly(state, lane, urgent, seat, now);
      moves.push(...shed);
      if (shed.length > 0) continue;
    }
    return sendOrHold(situation, waiting, count);
  }
}

/** The most of these, from the front, that end before the least deadline among them, and whose deadline that is. */
function mostInTime({ state, lane, seat, now }: Situation, waiting: Waiting[]): Fit {
  const endsAt = (count: number) => endsAtLatest(state, lane, seat, count, now);
  const all = waiting.length;
  if (endsAt(all) <= leastDeadline(waiting, 0, all)) return { count: all, urgent: waiting[0]! };
  let urgent = waiting[0]!;
  for (let index = 0; index < all; index++) {
    const each = waiting[index]!;
    if (each.task.deadlineAt < urgent.task.deadlineAt) urgent = each;
    if (index > 0 && endsAt(index + 1) > urgent.task.deadlineAt) return { count: index, urgent };
  }
  return { count: all, urgent };
}

/** With batches of so many, the workers finish tasks as fast as they come, and work off the queue in time. */
function keepsUp({ state, lane, sizing, now }: Situation, count: number): boolean {
  const overheadMs = state.hops.toWorker.ms + state.hops.reply.ms;
  const queueMs = Math.max(1, lane.arrivals.patienceMs - overheadMs);
  const needed = Math.max(lane.arrivals.perMs(now), lane.tenants.waiting / queueMs);
  return (sizing.left * count) / lane.meanMs(count) >= needed;
}

function sendOrHold(situation: Situation, waiting: Waiting[], count: number): Choice {
  const { state, lane, seat, sizing, now } = situation;
  const leastDeadlineAt = leastDeadline(waiting, 0, count);
  const send = (reason: DispatchReason): Choice => {
    const size = roundedDown(situation, waiting, count);
    return { kind: "send", count: size, reason, deadlineAt: leastDeadlineAt };
  };
  if (count >= Math.min(sizing.usefulSize, seat.sizeMax)) return send("full");
  if (count >= sizing.floor) return send("floor");
  if (count < waiting.length) return send("slack");
  if (state.draining) return send("drain");

  const oneMoreMs =
    state.hops.toWorker.ms +
    lane.prepare.meanMs(count + 1) +
    guardMs +
    lane.highMs(count + 1) +
    state.hops.reply.ms;
  const heldUntil = Math.min(lane.tenants.oldest!.arrivedAt + sizing.holdMs, leastDeadlineAt - oneMoreMs);
  return now >= heldUntil ? send("hold_expired") : { kind: "hold", until: heldUntil };
}

/**
 * A batch is padded to the next size, and padding is paid for. It is cut down to the size below where that gets more
 * tasks done in a second, and those that are left over can still make it with the batch after.
 */
function roundedDown(
  { state, lane, seat, sizing, now }: Situation,
  waiting: Waiting[],
  count: number,
): number {
  const size = lane.sizes.findLast((each) => each <= count) ?? count;
  if (size / lane.meanMs(size) <= count / lane.meanMs(count)) return count;
  const left = Math.min(lane.tenants.waiting - size, sizing.usefulSize);
  const leftEndAt =
    beginsAtLatest(state, lane, seat, size, now) +
    lane.highMs(size) +
    guardMs +
    lane.highMs(left) +
    state.hops.reply.ms;
  return leftEndAt <= leastDeadline(waiting, size, waiting.length) ? size : count;
}

function leastDeadline(waiting: Waiting[], from: number, until: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let index = from; index < until; index++) least = Math.min(least, waiting[index]!.task.deadlineAt);
  return least;
}

export type Situation = { state: State; lane: Lane; seat: Seat; sizing: BatchSizing; now: number };

export type Choice =
  /** The first `count` in turn, and the least deadline among them. */
  | { kind: "send"; count: number; reason: DispatchReason; deadlineAt: number }
  | { kind: "hold"; until: number };

type Fit = { count: number; urgent: Waiting };
