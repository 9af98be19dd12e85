import type { DispatchReason } from "@faceline/contracts/wire/batch";
import { callIdOf } from "@faceline/contracts/wire/ids";
import { shedCall, shedEarly, shedInfeasible } from "../admission/shedding.ts";
import {
  guardMs,
  latestAnswerAt,
  latestStartAt,
  type SlotSituation,
  type WorkerSlot,
} from "../capacity/worker-slot.ts";
import { addTask, type BatchLoad, extraCostMax, loadOf } from "../queue/batch-load.ts";
import type { BatchLimits } from "../queue/fair-queue.ts";
import type { QueuedTask } from "../queue/tenant-queue.ts";
import type { Lane } from "../state/lane.ts";
import type { Move } from "../state/state.ts";

/**
 * Chooses the batch that a lane would send in a slot now: the most tasks, in the order of turns, with which
 * the most urgent of them still meets its deadline. Tasks that cannot meet theirs are shed on the way.
 *
 *     shed infeasible ─► most in time ─► too few to keep up? shed early, again ─► floor met? send : hold
 */
export function chooseBatch(situation: SlotSituation): { choice: Choice; shed: Move[] } {
  const { state, lane, slot, sizing, now } = situation;
  const limits: BatchLimits = {
    countMax: Math.min(sizing.usefulSize, slot.sizeMax),
    heavyAllowed: slot.isHeavy,
    extraCostMax: state.demand.areSeveral(now) ? extraCostMax.shared : extraCostMax.alone,
  };
  const shed: Move[] = [];
  for (;;) {
    shed.push(...shedInfeasible(situation));
    const waiting = lane.queue.nextInTurn(limits);
    if (waiting.length === 0) return { choice: { kind: "nothing" }, shed };
    const { isHeavy } = loadOf([waiting[0]!.task]);
    if (isHeavy !== slot.isHeavy) return { choice: { kind: "other_slot" }, shed };
    const inTime = mostInTime(situation, waiting);
    const hopeless = isHeavy ? shedLate(situation, waiting) : shedUrgent(situation, waiting, inTime);
    shed.push(...hopeless);
    if (hopeless.length > 0) continue;
    // Heavy tasks wait for no others: together they would be prepared no sooner.
    const choose = isHeavy ? sendFull : sendOrHold;
    return { choice: choose(situation, waiting, inTime.count), shed };
  }
}

/** Others may be heavier than the one with the earliest deadline, which was found to be in time. */
function shedLate(situation: SlotSituation, waiting: QueuedTask[]): Move[] {
  const isLate = ({ task }: QueuedTask) =>
    callIdOf(task.id) !== situation.lane.probe && latestAnswerAt(situation, loadOf([task])) > task.deadlineAt;
  const late = waiting.find(isLate);
  return late === undefined ? [] : shedCall(situation, late.task, "deadline_infeasible");
}

/** Sheds the most urgent task if the batch that it allows is too small to keep up. */
function shedUrgent(situation: SlotSituation, waiting: QueuedTask[], { count, urgent }: InTime): Move[] {
  const isSmall = count < Math.min(situation.sizing.deadlineSize, waiting.length);
  return isSmall && !keepsUp(situation, count) ? shedEarly(situation, urgent) : [];
}

/** Returns the longest prefix that ends before its earliest deadline, and the task with that deadline. */
function mostInTime(situation: SlotSituation, waiting: QueuedTask[]): InTime {
  const all = waiting.length;
  if (latestAnswerAt(situation, loadOfQueued(waiting, all)) <= earliestDeadline(waiting, 0, all)) {
    return { count: all, urgent: waiting[0]! };
  }
  let urgent = waiting[0]!;
  for (let index = 0; index < all; index++) {
    const each = waiting[index]!;
    if (each.task.deadlineAt < urgent.task.deadlineAt) urgent = each;
    if (index === 0) continue;
    if (latestAnswerAt(situation, loadOfQueued(waiting, index + 1)) > urgent.task.deadlineAt) {
      return { count: index, urgent };
    }
  }
  return { count: all, urgent };
}

/** Whether batches of `count` finish tasks as fast as they arrive, and clear the queue in time. */
function keepsUp({ state, lane, sizing, now }: SlotSituation, count: number): boolean {
  const overheadMs = state.hops.toWorker.ms + state.hops.reply.ms;
  const queueMs = Math.max(1, lane.estimates.arrivals.timeBudgetMs - overheadMs);
  const needed = Math.max(lane.estimates.arrivals.perMs(now), lane.queue.waitingCount / queueMs);
  return (sizing.availableWorkers * count) / lane.estimates.runMs(count) >= needed;
}

function sendOrHold(situation: SlotSituation, waiting: QueuedTask[], count: number): Choice {
  const { state, lane, slot, sizing, now } = situation;
  const earliestDeadlineAt = earliestDeadline(waiting, 0, count);
  const send = (reason: DispatchReason): Choice => ({
    ...sendFirst(situation, waiting, roundedDown(situation, waiting, count), reason),
    deadlineAt: earliestDeadlineAt,
  });
  if (count >= Math.min(sizing.usefulSize, slot.sizeMax)) return send("full");
  if (count >= sizing.floor) return send("floor");
  if (count < waiting.length) return send("slack");
  if (state.draining) return send("drain");

  const oneMoreMs =
    state.hops.toWorker.ms +
    lane.estimates.prepareMs(lane.estimates.lightLoad(count + 1)) +
    guardMs +
    lane.estimates.runHighMs(count + 1) +
    state.hops.reply.ms;
  const heldUntil = Math.min(lane.queue.oldest!.queuedAt + sizing.holdMs, earliestDeadlineAt - oneMoreMs);
  return now >= heldUntil ? send("hold_expired") : { kind: "hold", until: heldUntil };
}

const sendFull = (situation: SlotSituation, waiting: QueuedTask[], count: number): Choice =>
  sendFirst(situation, waiting, count, "full");

function sendFirst(
  { lane, slot }: SlotSituation,
  waiting: QueuedTask[],
  count: number,
  reason: DispatchReason,
): SendProposal {
  const deadlineAt = earliestDeadline(waiting, 0, count);
  return { kind: "send", lane, slot, reason, deadlineAt, tasks: waiting.slice(0, count) };
}

/**
 * A batch is padded to the next size and takes that size's time. It is cut to the size below if that finishes
 * more tasks per second and the tasks left over can still make it with the next batch.
 */
function roundedDown(situation: SlotSituation, waiting: QueuedTask[], count: number): number {
  const { state, lane, sizing } = situation;
  const size = lane.estimates.sizes.findLast((each) => each <= count) ?? count;
  if (size / lane.estimates.runMs(size) <= count / lane.estimates.runMs(count)) return count;
  const leftOver = Math.min(lane.queue.waitingCount - size, sizing.usefulSize);
  const leftOverAnswerAt =
    latestStartAt(situation, loadOfQueued(waiting, size)) +
    lane.estimates.runHighMs(size) +
    guardMs +
    lane.estimates.runHighMs(leftOver) +
    state.hops.reply.ms;
  return leftOverAnswerAt <= earliestDeadline(waiting, size, waiting.length) ? size : count;
}

/** Returns the load of the first `count` of these. */
function loadOfQueued(waiting: QueuedTask[], count: number): BatchLoad {
  const load: BatchLoad = { count, cost: 0, isHeavy: false };
  for (let index = 0; index < count; index++) addTask(load, waiting[index]!.task);
  return load;
}

function earliestDeadline(waiting: QueuedTask[], from: number, until: number): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (let index = from; index < until; index++)
    earliest = Math.min(earliest, waiting[index]!.task.deadlineAt);
  return earliest;
}

/** Send these tasks, or the first retry part; `deadlineAt` is the earliest deadline among them. */
export type SendProposal = {
  kind: "send";
  lane: Lane;
  slot: WorkerSlot;
  reason: DispatchReason;
  deadlineAt: number;
  tasks: QueuedTask[];
};

type InTime = { count: number; urgent: QueuedTask };

type Choice =
  | SendProposal
  | { kind: "hold"; until: number }
  /** The tasks that were meant for this slot were shed, and it does not fit the next one. */
  | { kind: "other_slot" }
  /** No task waits. */
  | { kind: "nothing" };
