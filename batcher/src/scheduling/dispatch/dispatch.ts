import type { Batch, BatchId, DispatchReason } from "@faceline/contracts/wire/batch";
import { dropExpired, shedInfeasibleOfRetry } from "../admission/shedding.ts";
import { workersForHeavy } from "../capacity/heavy-limit.ts";
import { type LaneSituation, laneSituation } from "../capacity/situation.ts";
import { type SlotSituation, soonestSlot, type WorkerSlot } from "../capacity/worker-slot.ts";
import { type BatchLoad, extraCostMax, loadOf } from "../queue/batch-load.ts";
import type { Lane, TaskGroup } from "../state/lane.ts";
import { newSentBatch, receiveBy } from "../state/sent-batch.ts";
import type { Move, State } from "../state/state.ts";
import { partitionOf } from "../state/workers.ts";
import { chooseBatch } from "./batch-choice.ts";
import { nextIsExcessive } from "./excessive-demand.ts";

/**
 * Sends what should be sent now, batch by batch. Each time every lane proposes a batch, and the one with the
 * earliest deadline is sent. Those of tenants with excessive demand come after all others. (Not the one that
 * must begin first: an urgent task makes a small batch, which may begin later, so a lane that fell behind
 * once would never come first again.) No worker idles beside a waiting task, except for the hold that
 * `batchSizing` allows.
 */
export function dispatchBatches(state: State, now: number): Move[] {
  const moves: Move[] = [];
  for (;;) {
    const ranked: RankedProposal[] = [];
    for (const lane of state.lanes.values()) {
      const { proposal, shed } = propose(state, lane, now);
      lane.hold.set(proposal.kind === "wait" && proposal.isHold === true, now);
      ranked.push({ proposal, isExcessive: nextIsExcessive(state, lane, now) });
      moves.push(...shed);
    }
    const next = mostUrgent(ranked);
    if (next === undefined) return [...moves, ...wake(ranked)];
    moves.push(send(state, next, now));
  }
}

function mostUrgent(ranked: RankedProposal[]): SendProposal | undefined {
  let next: Rank<SendProposal> | undefined;
  for (const { proposal, isExcessive } of ranked) {
    if (proposal.kind !== "send") continue;
    const each = { proposal, isExcessive };
    if (next !== undefined && !goesBefore(each, next)) continue;
    if (!ranked.some((other) => claimsSlot(other, each))) next = each;
  }
  return next?.proposal;
}

/**
 * Whether a more urgent lane will take the same slot, only a little later because its batch is decoded
 * sooner.
 */
function claimsSlot({ proposal, isExcessive }: RankedProposal, each: Rank<SendProposal>): boolean {
  if (proposal.kind !== "wait" || proposal.slot?.worker !== each.proposal.slot.worker) return false;
  return goesBefore({ proposal, isExcessive }, each);
}

/** The earliest deadline goes first, and tenants with excessive demand go last: see nextIsExcessive. */
function goesBefore(a: Rank<HasDeadline>, b: Rank<HasDeadline>): boolean {
  if (a.isExcessive !== b.isExcessive) return b.isExcessive;
  return a.proposal.deadlineAt < b.proposal.deadlineAt;
}

function wake(ranked: RankedProposal[]): Move[] {
  let at = Number.POSITIVE_INFINITY;
  for (const { proposal } of ranked) if (proposal.kind === "wait") at = Math.min(at, proposal.until);
  return Number.isFinite(at) ? [{ kind: "wake", at }] : [];
}

/** Returns what a lane would send now, or when to propose again, and the tasks that it shed. */
function propose(state: State, lane: Lane, now: number): { proposal: Proposal; shed: Move[] } {
  if (lane.waitingCount === 0) return { proposal: { kind: "nothing" }, shed: [] };
  const expired = dropExpired(state, lane, now);
  if (lane.waitingCount === 0) return { proposal: { kind: "nothing" }, shed: expired };
  const expiresAt = lane.earliestDeadlineAt;
  const laneNow = laneSituation(state, lane, now);
  const costMax = state.tenants.areSeveral(now) ? extraCostMax.shared : extraCostMax.alone;
  const slot = nextSlot(laneNow);
  // Without a slot, or where only heavy tasks wait for a worker, the next report wakes us, not a timer.
  if (slot === undefined) {
    return { proposal: { kind: "wait", until: expiresAt, deadlineAt: expiresAt }, shed: expired };
  }
  if (slot.sendAt > now) {
    const until = Math.min(slot.sendAt, expiresAt);
    return { proposal: { kind: "wait", until, slot, deadlineAt: expiresAt }, shed: expired };
  }

  const situation: SlotSituation = { ...laneNow, slot };
  const infeasible = shedInfeasibleOfRetry(situation);
  if (infeasible.length > 0) return proposeAgain(state, lane, now, [...expired, ...infeasible]);
  if (lane.retryParts[0] !== undefined) return { proposal: retryProposal(lane, slot), shed: expired };
  const { choice, shed } = chooseBatch(situation, { heavyAllowed: slot.isHeavy, extraCostMax: costMax });
  // After a task was shed, the next one may need another slot.
  if (choice.kind === "other_slot") return proposeAgain(state, lane, now, [...expired, ...shed]);
  return { proposal: queueProposal(situation, choice, expiresAt), shed: [...expired, ...shed] };
}

function proposeAgain(state: State, lane: Lane, now: number, before: Move[]): ReturnType<typeof propose> {
  const { proposal, shed } = propose(state, lane, now);
  return { proposal, shed: [...before, ...shed] };
}

/**
 * Returns the slot of the next batch. Where a heavy task is next and one of its workers is not due yet, a
 * light one behind it does not wait for that. Undefined: all workers are full.
 */
function nextSlot(situation: LaneSituation): WorkerSlot | undefined {
  const load = loadOfNext(situation, true);
  if (load === undefined) return undefined;
  // Retries wait for no worker in particular: all others wait for them.
  if (!load.isHeavy || situation.lane.retryParts.length > 0) return soonestSlot(situation, load);
  const slot = soonestSlot({ ...situation, loads: workersForHeavy(situation) }, load);
  if (slot !== undefined && slot.sendAt <= situation.now) return slot;
  const lightLoad = loadOfNext(situation, false);
  const lightSlot = lightLoad === undefined ? undefined : soonestSlot(situation, lightLoad);
  if (slot === undefined || lightSlot === undefined) return slot ?? lightSlot;
  return slot.sendAt < lightSlot.sendAt ? slot : lightSlot;
}

/**
 * Returns the load of the batch that would be sent next. Undefined: only heavy tasks wait, and must go on
 * waiting.
 */
function loadOfNext({ lane, sizing }: LaneSituation, heavyAllowed: boolean): BatchLoad | undefined {
  const [part] = lane.retryParts;
  if (part !== undefined) return loadOf(part.tasks);
  const first = lane.queue.firstInTurn(heavyAllowed);
  if (first === undefined) return undefined;
  const next = loadOf([first.task]);
  return next.isHeavy ? next : lane.estimates.lightLoad(Math.min(lane.waitingCount, sizing.usefulSize));
}

function queueProposal(
  { lane, slot }: SlotSituation,
  choice: Exclude<ReturnType<typeof chooseBatch>["choice"], { kind: "other_slot" }>,
  expiresAt: number,
): Proposal {
  switch (choice.kind) {
    case "nothing":
      return choice;
    case "hold":
      return {
        kind: "wait",
        until: Math.min(choice.until, expiresAt),
        deadlineAt: expiresAt,
        isHold: true,
      };
    case "send": {
      const dequeue = () => {
        lane.probe = undefined;
        return { tasks: lane.queue.dequeue(choice.tasks), attempt: 1, mayBePoison: false };
      };
      return { ...choice, lane, slot, dequeue };
    }
  }
}

/** Retry parts go before all other tasks, as they are. */
function retryProposal(lane: Lane, slot: WorkerSlot): Proposal {
  const dequeue = () => lane.dequeueRetry(slot.sizeMax);
  return { kind: "send", lane, slot, reason: "retry", deadlineAt: Number.NEGATIVE_INFINITY, dequeue };
}

function send(state: State, { lane, slot, reason, dequeue }: SendProposal, now: number): Move {
  const { tasks, attempt, mayBePoison } = dequeue();
  for (const task of tasks) task.waited = state.open.get(task.id)?.wait.send(now);
  const id = `${state.batcher}/${++state.batchCount}` as BatchId;
  const predictedRunMs = lane.estimates.runMs(tasks.length);
  const batch: Batch = {
    id,
    lane: lane.id,
    // A slot is of a worker with this build.
    digest: lane.build!.digest,
    reason,
    attempt,
    sentAt: now,
    predictedRunMs,
    tasks,
  };
  const startAt = Math.max(slot.freeAt, now + state.hops.toWorker.ms);
  const partition = partitionOf(slot.worker);
  const predictedEndAt = startAt + predictedRunMs;
  const load = loadOf(tasks);
  if (!load.isHeavy) lane.estimates.learnLightCost(load);
  const sent = newSentBatch({
    id,
    lane,
    tasks: tasks.map((task) => task.id),
    deadlines: tasks.map((task) => task.deadlineAt),
    load,
    preparedAt: load.isHeavy ? now + state.hops.toWorker.ms + lane.estimates.prepareMs(load) : now,
    attempt,
    worker: slot.worker.id,
    sentAt: now,
    dispatch: { partition, predictedEndAt },
    mayBePoison,
    phase: { kind: "travelling", receiveBy: receiveBy(startAt, predictedRunMs) },
  });
  state.loads.addBatch(sent);
  return {
    kind: "dispatch",
    partition,
    batch,
    worker: slot.worker.id,
    paddedSize: lane.estimates.paddedSize(tasks.length),
    predictedEndAt,
  };
}

type SendProposal = {
  kind: "send";
  lane: Lane;
  slot: WorkerSlot;
  reason: DispatchReason;
  deadlineAt: number;
  dequeue(): TaskGroup;
};

type Rank<Ranked> = {
  proposal: Ranked;
  /** Whether the next task is of a tenant with excessive demand. */
  isExcessive: boolean;
};

type RankedProposal = Rank<Proposal>;

type HasDeadline = { deadlineAt: number };

type Proposal =
  | SendProposal
  /**
   * Nothing to send before `until`. With a slot: the lane reserves that one. With `isHold`: a worker is free,
   * and the lane waits for more tasks.
   */
  | { kind: "wait"; until: number; deadlineAt: number; slot?: WorkerSlot; isHold?: boolean }
  /** No task waits. */
  | { kind: "nothing" };
