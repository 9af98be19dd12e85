import type { DispatchReason } from "@faceline/contracts/wire/batch";
import { dropExpired, shedInfeasible, shedInfeasibleOfRetry } from "../admission/shedding.ts";
import { type LaneSituation, laneSituation } from "../capacity/situation.ts";
import type { WorkerSlot } from "../capacity/worker-slot.ts";
import { extraCostMax } from "../queue/batch-load.ts";
import type { TaskGroup } from "../queue/waiting-tasks.ts";
import type { Lane } from "../state/lane.ts";
import type { Move, State } from "../state/state.ts";
import { isIdle, type WorkerLoad } from "../state/worker-loads.ts";
import { sizeMaxOf } from "../state/workers.ts";
import { mostInTime } from "./batch-choice.ts";

/**
 * Returns the best-effort batch that may be sent now, if there is one, the tasks that were shed, and when to
 * look again. To be called where no standard batch is to be sent.
 */
export function proposeBestEffort(state: State, now: number): BestEffortDecision {
  const decision: BestEffortDecision = { next: undefined, shed: [], wakeAt: Number.POSITIVE_INFINITY };
  for (const lane of state.lanes.values()) {
    const waiting = lane.waiting.best_effort;
    if (waiting.count === 0) continue;
    decision.shed.push(...dropExpired({ state, lane, now }, waiting));
    const situation = laneSituation(state, lane, now);
    decision.shed.push(...shedLate(situation));
    decision.wakeAt = Math.min(decision.wakeAt, waiting.earliestDeadlineAt);
    const [load] = spareWorkers(state, situation.loads, now);
    const next = load === undefined ? undefined : proposalFor(situation, idleSlot(load, now));
    if (next && !(decision.next && decision.next.deadlineAt <= next.deadlineAt)) decision.next = next;
  }
  return decision;
}

/** Learns how many workers every lane leaves now. To be called where nothing is to be sent any more. */
export function countSpareWorkers(state: State, now: number): void {
  for (const lane of state.lanes.values()) {
    const idle = lane.waitingCount > 0 ? 0 : spareWorkers(state, state.loads.of(lane, now), now).length;
    lane.estimates.spare.set(holdersOf(state, lane) + idle, now);
  }
}

/** Returns how many best-effort batches the workers have of a lane: one worker has one at most. */
function holdersOf({ sent }: State, lane: Lane): number {
  let holders = 0;
  for (const each of sent.values()) {
    if (each.serviceClass === "best_effort" && each.lane === lane && each.phase.kind !== "lost") holders++;
  }
  return holders;
}

/**
 * Returns the idle workers of a lane that may be sent a best-effort batch now: none while standard tasks wait
 * that they could run. Of several workers some stay idle for the next calls of teams and, where teams have
 * called lately, at most half have such a batch. A single worker has to take both: then a team waits for one
 * such batch at most.
 */
function spareWorkers(state: State, loads: readonly WorkerLoad[], now: number): WorkerLoad[] {
  const idle = loads.filter(isIdle);
  if (idle.length === 0 || standardWaits(state, loads)) return [];
  const holders = loads.filter(({ holdsBestEffort }) => holdsBestEffort).length;
  const most = state.tenants.areQuiet(now) ? loads.length : Math.max(1, Math.floor(loads.length / 2));
  return idle.slice(idleMin(state, loads, now)).slice(0, Math.max(0, most - holders));
}

/**
 * Returns how many workers stay idle beside a best-effort batch: at least one, and two standard deviations of
 * how many teams occupy at a time, which is about a Poisson distribution. All but one at most: otherwise a
 * small pool would never run such a batch.
 */
function idleMin(state: State, loads: readonly WorkerLoad[], now: number): number {
  const deviation = Math.sqrt(workersNeeded(state, loads, now));
  return Math.min(loads.length - 1, Math.max(1, Math.ceil(2 * deviation)));
}

/** Returns how many workers teams occupy on average if each task runs alone; not a whole number. */
function workersNeeded({ lanes }: State, loads: readonly WorkerLoad[], now: number): number {
  let needed = 0;
  for (const lane of lanes.values()) {
    if (isLoaded(lane, loads)) needed += lane.estimates.arrivals.perMs(now) * lane.estimates.runMs(1);
  }
  return needed;
}

function standardWaits({ lanes }: State, loads: readonly WorkerLoad[]): boolean {
  for (const lane of lanes.values()) if (lane.waitingCount > 0 && isLoaded(lane, loads)) return true;
  return false;
}

const isLoaded = (lane: Lane, loads: readonly WorkerLoad[]): boolean =>
  loads.some(({ worker }) => sizeMaxOf(worker, lane) > 0);

/**
 * Returns the most tasks of a best-effort batch: what takes not much longer than one task, because a team may
 * have to wait for it. Where another worker is free for teams and none has called lately, it is the useful
 * size.
 */
export function bestEffortSize({ state, lane, loads, sizing, now }: LaneSituation): number {
  if (loads.length > 1 && state.tenants.areQuiet(now)) return sizing.usefulSize;
  const takesMs = (size: number) =>
    lane.estimates.prepareMs(lane.estimates.lightLoad(size)) + lane.estimates.runMs(size);
  const { batchMax } = state.settings;
  return (
    lane.estimates.sizes.findLast(
      (size) => size <= batchMax && takesMs(size) <= lengtheningMax * takesMs(1),
    ) ?? 1
  );
}

const lengtheningMax = 1.5;

/** Sheds tasks that would be late even if they were sent now, to an idle worker. */
function shedLate(situation: LaneSituation): Move[] {
  const { lane, loads, now } = situation;
  const waiting = lane.waiting.best_effort;
  const [load] = loads;
  if (load === undefined) return [];
  const idle = { ...situation, slot: idleSlot(load, now) };
  return [...shedInfeasible(idle, waiting), ...shedInfeasibleOfRetry(idle, waiting)];
}

function proposalFor(situation: LaneSituation, slot: WorkerSlot): BestEffortProposal | undefined {
  const { state, lane, now } = situation;
  const waiting = lane.waiting.best_effort;
  const sizeMax = Math.min(bestEffortSize(situation), slot.sizeMax);
  const proposal = { kind: "send", lane, slot, deadlineAt: waiting.earliestDeadlineAt } as const;
  if (waiting.retryParts.length > 0) {
    return { ...proposal, reason: "retry", dequeue: () => waiting.dequeueRetry(sizeMax) };
  }
  const limits = { countMax: sizeMax, heavyAllowed: state.tenants.areQuiet(now) };
  const inTurn = waiting.queue.nextInTurn({ ...limits, extraCostMax: extraCostMax.shared });
  if (inTurn.length === 0) return undefined;
  const tasks = inTurn.slice(0, mostInTime({ ...situation, slot }, inTurn).count);
  const reason = tasks.length === sizeMax ? "full" : "floor";
  const dequeue = () => ({ tasks: waiting.queue.dequeue(tasks), attempt: 1, mayBePoison: false });
  return { ...proposal, reason, dequeue };
}

/** Nothing is prepared beside a best-effort batch, so it does not matter whether it is heavy. */
const idleSlot = ({ worker, sizeMax }: WorkerLoad, now: number): WorkerSlot => ({
  worker,
  isHeavy: false,
  sizeMax,
  freeAt: now,
  sendAt: now,
});

type BestEffortDecision = { next: BestEffortProposal | undefined; shed: Move[]; wakeAt: number };

type BestEffortProposal = {
  kind: "send";
  lane: Lane;
  slot: WorkerSlot;
  reason: DispatchReason;
  deadlineAt: number;
  dequeue(): TaskGroup;
};
