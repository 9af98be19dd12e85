import type { Batch, BatchId } from "@faceline/contracts/wire/batch";
import { loadOf } from "../queue/batch-load.ts";
import type { Lane } from "../state/lane.ts";
import { newSentBatch, receiveBy } from "../state/sent-batch.ts";
import type { Dispatch, Move, State } from "../state/state.ts";
import { isInService, partitionOf } from "../state/workers.ts";
import type { SendProposal } from "./batch-choice.ts";
import { type Proposal, proposeBatch } from "./proposal.ts";

/**
 * Sends what should be sent now, batch by batch. A worker idles beside a waiting task only for the hold of
 * `batchSizing`, and if limits of heavy images or parts of a lost batch require it.
 *
 *     each lane proposes a batch ──► the most urgent one is sent ──► again, until no lane has one to send
 */
export function dispatchBatches(state: State, now: number): Move[] {
  const moves: Move[] = [];
  for (;;) {
    const ranked: Rank<Proposal>[] = [];
    for (const lane of state.lanes.values()) {
      const { proposal, shed } = proposeBatch(state, lane, now);
      lane.hold.set(proposal.kind === "hold", now);
      ranked.push({ proposal, isExcessive: nextIsExcessive(state, lane, now) });
      moves.push(...shed);
    }
    const next = mostUrgent(ranked);
    if (next === undefined) return [...moves, ...wake(ranked)];
    moves.push(send(state, next, now));
  }
}

/**
 * Whether the next task of a lane belongs to a tenant that demands more than its share of all workers, in all
 * lanes together, while another tenant keeps to its share. Within a lane tenants take turns. Between lanes
 * the earliest deadline goes first, and a flooded lane always has waiting tasks with earlier deadlines than
 * any new task: so the tasks of such a tenant go after those of other lanes.
 */
function nextIsExcessive(state: State, lane: Lane, now: number): boolean {
  if (state.lanes.size < 2 || lane.retryParts.length > 0) return false;
  const next = lane.queue.firstInTurn(true);
  if (next === undefined) return false;
  let workers = 0;
  for (const worker of state.workers.values()) if (isInService(worker, now)) workers++;
  return state.demand.isExcessive(next.tenant.tenant, Math.max(1, workers), now);
}

/**
 * Returns the batch with the earliest deadline. (Not the one that must start first: an urgent task makes a
 * small batch, which may start later, so a lane that fell behind would never come first again.)
 */
function mostUrgent(ranked: Rank<Proposal>[]): SendProposal | undefined {
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
function claimsSlot({ proposal, isExcessive }: Rank<Proposal>, each: Rank<SendProposal>): boolean {
  if (proposal.kind !== "wait" || proposal.slot?.worker !== each.proposal.slot.worker) return false;
  return goesBefore({ proposal, isExcessive }, each);
}

/** The earliest deadline goes first, and tenants with excessive demand go last: see nextIsExcessive. */
function goesBefore(a: Rank<HasDeadline>, b: Rank<HasDeadline>): boolean {
  if (a.isExcessive !== b.isExcessive) return b.isExcessive;
  return a.proposal.deadlineAt < b.proposal.deadlineAt;
}

/** Returns when to propose again if nothing happens before. */
function wake(ranked: Rank<Proposal>[]): Move[] {
  let at = Number.POSITIVE_INFINITY;
  for (const { proposal } of ranked) if ("until" in proposal) at = Math.min(at, proposal.until);
  return Number.isFinite(at) ? [{ kind: "wake", at }] : [];
}

function send(state: State, { lane, slot, reason, tasks: chosen }: SendProposal, now: number): Dispatch {
  const group = reason === "retry" ? lane.dequeueRetry(slot.sizeMax) : lane.dequeue(chosen);
  const { tasks, attempt, mayBePoison } = group;
  for (const task of tasks) task.waited = state.open.get(task.id)?.wait.send(now);
  const id = `${state.batcher}/${++state.batchCount}` as BatchId;
  const worker = slot.worker.id;
  const partition = partitionOf(slot.worker);
  const predictedRunMs = lane.estimates.runMs(tasks.length);
  const startAt = Math.max(slot.freeAt, now + state.hops.toWorker.ms);
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
    worker,
    sentAt: now,
    dispatch: { partition, predictedEndAt },
    mayBePoison,
    phase: { kind: "travelling", receiveBy: receiveBy(startAt, predictedRunMs) },
  });
  state.loads.addBatch(sent);
  // A slot is of a worker with this build.
  const { digest } = lane.build!;
  const batch: Batch = { id, lane: lane.id, digest, reason, attempt, sentAt: now, predictedRunMs, tasks };
  const paddedSize = lane.estimates.paddedSize(tasks.length);
  return { kind: "dispatch", partition, batch, worker, paddedSize, predictedEndAt };
}

type Rank<Ranked> = {
  proposal: Ranked;
  /** Whether the next task belongs to a tenant with excessive demand. */
  isExcessive: boolean;
};

type HasDeadline = { deadlineAt: number };
