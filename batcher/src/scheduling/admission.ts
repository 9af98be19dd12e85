import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { type BatchSizing, batchSizing } from "./batch-size.ts";
import type { Lane } from "./lane.ts";
import { dueBeforeMs, longestBatchMs, rivalsOf, workersLeft } from "./rivals.ts";
import type { State } from "./state.ts";
import { type Workload, workloads } from "./workers.ts";

/** With no worker in service, the first is assumed back after this. */
const assumedAbsenceMs = 3_000;

/** What may stand in the queue before a task: so many runs of a batch, or this share of the task's time. */
const standingRuns = 1.5;
const standingShare = 0.25;

/** What was learned before that may be wrong by now. */
const staleAfterMs = 1_000;

/**
 * Refuses on arrival what would be answered too late (`hopeless`), or what would wait longer than a healthy queue makes
 * anybody wait (`standing`): a refusal then takes milliseconds, and the client can go elsewhere. Undefined: admitted.
 */
export function refusal(
  state: State,
  lane: Lane,
  call: CallTasks,
  count: number,
  now: number,
): Shed | undefined {
  lane.offers.add(call.tenant, count, now);
  const place = lane.tenants.placeOfNew(call.tenant, count);
  const { deadlineAt } = call;
  const { beginsAt, sizing, longestRunMs } = expectedBegin(state, lane, { place, deadlineAt }, now);
  const waitMs = beginsAt - now;
  const predictedMs = waitMs + lane.meanMs(Math.min(place, sizing.usefulSize)) + state.hops.reply.ms;
  const shed = (reason: Shed["reason"]): Shed => ({
    kind: "shed",
    reason,
    predictedMs,
    retryAfterMs: waitMs,
  });
  const standingMaxMs = Math.max(standingRuns * longestRunMs, standingShare * (call.deadlineAt - now));
  if (lane.waiting + count > state.settings.laneWaitingMax) return shed("queue_too_long");
  if (now + predictedMs > call.deadlineAt) {
    if (!mayTry(state, lane, now)) return shed("deadline_infeasible");
    lane.trial = call.call;
    return undefined;
  }
  if (waitMs <= standingMaxMs) return undefined;
  // While another lets more stand, or it asks for less than its share, a tenant answers only for what it lets stand itself.
  const own = lane.tenants.waitingOf(call.tenant) + count;
  const ownWaitMs = expectedBegin(state, lane, { place: own, deadlineAt }, now).beginsAt - now;
  const capacity = (sizing.left * sizing.usefulSize) / sizing.cycleMs;
  const modest =
    own <= lane.tenants.mostOfOthers(call.tenant) || lane.offers.withinShare(call.tenant, capacity, now);
  return modest && ownWaitMs <= standingMaxMs ? undefined : shed("queue_too_long");
}

/**
 * Predictions that refuse everything would never be put right: nothing would run that could. So a lane that has learned
 * nothing for a while gives one call to an idle worker, which loses nothing by it.
 */
function mayTry(state: State, lane: Lane, now: number): boolean {
  const idle = (load: Workload) => !load.running && load.staged === 0;
  return (
    now - lane.learnedAt > staleAfterMs && lane.waiting === 0 && workloads(state, lane.name, now).some(idle)
  );
}

/**
 * When the task at this place, counted from 1, begins to run: after the batches before it, from the first free worker,
 * and after what is due before it in the lanes that share the workers.
 */
export function expectedBegin(
  state: State,
  lane: Lane,
  { place, deadlineAt }: Place,
  now: number,
): ExpectedBegin {
  const loads = workloads(state, lane.name, now);
  const workers = Math.max(1, loads.length);
  const rivals = rivalsOf(state, lane, loads, now);
  const left = workersLeft(rivals, workers, now);
  const sizing = batchSizing(lane, state.hops, { workers, left }, now);
  const freeAt = loads.length === 0 ? now + assumedAbsenceMs : Math.min(...loads.map((each) => each.freeAt));
  const preparedAt = now + state.hops.toWorker.ms + lane.prepare.meanMs(1);
  const batchesBefore = lane.parts.length + Math.ceil(place / sizing.usefulSize) - 1;
  const ownMs = batchesBefore * sizing.cycleMs;
  // What of the others is due already, or what they will bring meanwhile.
  const queueMs = Math.max((ownMs + dueBeforeMs(rivals, deadlineAt)) / workers, ownMs / left);
  // A lane of short runs has to stand the long ones of another.
  const longestRunMs = Math.max(lane.meanMs(sizing.deadlineSize), longestBatchMs(rivals, now));
  return { beginsAt: Math.max(preparedAt, freeAt) + queueMs, sizing, longestRunMs };
}

type Place = { place: number; deadlineAt: number };

type ExpectedBegin = { beginsAt: number; sizing: BatchSizing; longestRunMs: number };

export type Shed = Extract<Outcome, { kind: "shed" }>;
