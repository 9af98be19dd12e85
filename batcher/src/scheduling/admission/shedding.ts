import type { BatchTask } from "@faceline/contracts/wire/batch";
import { type CallId, callIdOf } from "@faceline/contracts/wire/ids";
import type { ShedReason } from "@faceline/contracts/wire/outcome";
import { expectedStartAt, type LaneSituation } from "../capacity/situation.ts";
import { latestAnswerAt, type SlotSituation } from "../capacity/worker-slot.ts";
import { loadOf } from "../queue/batch-load.ts";
import type { FairQueue } from "../queue/fair-queue.ts";
import type { QueuedCall, QueuedTask } from "../queue/tenant-queue.ts";
import type { Lane } from "../state/lane.ts";
import { answerTask, type Move, type State } from "../state/state.ts";

// The safety net behind admission: an accepted task that can no longer be answered in time is dropped from
// the queue, and with it the waiting tasks of its request, which are useless without its answer.

/** Drops tasks whose deadline has passed: no client waits for them any more. */
export function dropExpired(state: State, lane: Lane, now: number): Move[] {
  const { queue, retryParts } = lane;
  // Fast path: nothing has expired.
  if (retryParts.length === 0 && (queue.head?.task.deadlineAt ?? Number.POSITIVE_INFINITY) > now) return [];
  const expired: BatchTask[] = [];
  const isExpired = (task: BatchTask) => task.deadlineAt <= now;
  for (let { head } = queue; head !== undefined && isExpired(head.task); head = queue.head) {
    queue.remove(head);
    expired.push(head.task);
  }
  for (const part of retryParts) expired.push(...part.tasks.filter(isExpired));
  if (retryParts.some((part) => part.tasks.some(isExpired))) {
    lane.removeTasks(expired.map((task) => task.id));
  }
  return expired.map((task) => answerTask(state, task, { kind: "expired", lateByMs: now - task.deadlineAt }));
}

/** Sheds queued tasks that would be late even if they ran alone in the first free slot. */
export function shedInfeasible(situation: SlotSituation): Move[] {
  const { lane } = situation;
  const { queue } = lane;
  const moves: Move[] = [];
  for (let { head } = queue; head !== undefined; head = queue.head) {
    const answerAt = latestAnswerAt(situation, loadOf([head.task]));
    if (answerAt <= head.task.deadlineAt || callIdOf(head.task.id) === lane.probe) break;
    moves.push(...shedCall(situation, head.task, "deadline_infeasible"));
  }
  return moves;
}

/**
 * Sheds the late tasks of the next retry part: it is not mixed with others, so it must be in time as it is.
 */
export function shedInfeasibleOfRetry(situation: SlotSituation): Move[] {
  const tasks = situation.lane.retryParts[0]?.tasks;
  if (tasks === undefined) return [];
  const answerAt = latestAnswerAt(situation, loadOf(tasks.slice(0, situation.slot.sizeMax)));
  const infeasible = tasks.filter((task) => answerAt > task.deadlineAt);
  return infeasible.flatMap((task) => shedCall(situation, task, "deadline_infeasible"));
}

/**
 * Sheds a task so urgent that the batch it allows is too small to keep up, and would make every task behind
 * it late (the early drop of the Nexus scheduler). Returns no move if other tasks of its call were sent
 * already, or its tenant keeps to its share: then the smaller batch is run.
 */
export function shedEarly(situation: SlotSituation, urgent: QueuedTask): Move[] {
  const isSpared = urgent.call.started || situation.lane.queue.isWithinShare(urgent.tenant.tenant);
  return isSpared ? [] : shedCall(situation, urgent.task, "early_drop");
}

/**
 * Returns the waiting calls to evict for `count` new tasks of a tenant; undefined if these must be refused.
 * The lane is full for a tenant that would have more than an equal share of it. For any other, the tenants
 * with the most waiting make room: else one tenant could fill the lane, and all others would be refused.
 */
export function callsToEvict(
  { state, lane }: LaneSituation,
  tenant: string,
  count: number,
): CallId[] | undefined {
  const { laneWaitingMax } = state.settings;
  const excess = lane.waitingCount + count - laneWaitingMax;
  if (excess <= 0) return [];
  const before = lane.queue.waitingCountOf(tenant);
  const tenants = lane.queue.activeTenants + (before === 0 ? 1 : 0);
  const ownCount = before + count;
  return ownCount <= laneWaitingMax / tenants ? newestOfLongest(lane.queue, excess, ownCount) : undefined;
}

/**
 * Returns calls that together have `count` tasks waiting: always the newest of the tenant with the most
 * waiting. Undefined if there are too few. Calls that have begun stay, and so do the calls of tenants with no
 * more waiting than `ownCount`.
 */
function newestOfLongest(queue: FairQueue, count: number, ownCount: number): CallId[] | undefined {
  const waiting = queue.waitingCounts();
  const calls = [...queue.calls()].filter((call) => !call.started);
  const tenantOf = (call: QueuedCall) => call.waiting[0]!.tenant.tenant;
  const chosen: CallId[] = [];
  for (let freed = 0; freed < count; ) {
    const longest = Math.max(...waiting.values());
    if (longest <= ownCount) return undefined;
    const newest = calls.findLastIndex((call) => waiting.get(tenantOf(call)) === longest);
    if (newest < 0) {
      // Everything that it has left has started.
      for (const [tenant, length] of waiting) if (length === longest) waiting.delete(tenant);
      continue;
    }
    const [call] = calls.splice(newest, 1);
    waiting.set(tenantOf(call!), longest - call!.waiting.length);
    freed += call!.waiting.length;
    chosen.push(call!.id);
  }
  return chosen;
}

/** Sheds the calls that are evicted from a full lane. */
export function evict(situation: LaneSituation, calls: CallId[]): Move[] {
  const { state, lane, sizing, now } = situation;
  return calls.flatMap((call) => {
    const tasks = lane.removeCall(call);
    const deadlineAt = Math.max(...tasks.map((task) => task.deadlineAt));
    const retryAfterMs = expectedStartAt(situation, { position: lane.queue.waitingCount, deadlineAt }) - now;
    const predictedMs = retryAfterMs + lane.estimates.runMs(sizing.usefulSize) + state.hops.reply.ms;
    const outcome = { kind: "shed", reason: "queue_too_long", predictedMs, retryAfterMs } as const;
    return tasks.map((task) => answerTask(state, task, outcome));
  });
}

export function shedCall(situation: SlotSituation, task: BatchTask, reason: ShedReason): Move[] {
  const { state, lane, slot, now } = situation;
  const predictedMs = latestAnswerAt(situation, loadOf([task])) - now;
  const retryAfterMs = slot.freeAt - now;
  const outcome = { kind: "shed", reason, predictedMs, retryAfterMs } as const;
  return lane.removeCall(callIdOf(task.id)).map((each) => answerTask(state, each, outcome));
}
