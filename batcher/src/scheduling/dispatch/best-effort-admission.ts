import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { ShedReason } from "@faceline/contracts/wire/outcome";
import type { CallTasks } from "@faceline/contracts/wire/task";
import type { Admission } from "../admission/admission.ts";
import type { LaneSituation } from "../capacity/situation.ts";
import { isHeavy } from "../queue/batch-load.ts";
import { bestEffortSize } from "./best-effort-dispatch.ts";

/**
 * Decides whether new tasks of a best-effort call may queue: if there is a place for all of them, and what
 * teams have left lately answers them in time. Nothing is evicted for them. Reads the situation and changes
 * nothing.
 */
export function admitBestEffort(situation: LaneSituation, call: CallTasks, tasks: BatchTask[]): Admission {
  const { state, lane, now } = situation;
  const waitMs = bestEffortWaitMs(situation, tasks.length);
  const predictedMs = waitMs + lane.estimates.runMs(bestEffortSize(situation)) + state.hops.reply.ms;
  const refuse = (reason: ShedReason): Admission => ({
    kind: "refused",
    outcome: { kind: "shed", reason, predictedMs, retryAfterMs: Math.min(waitMs, retryAfterMaxMs) },
  });
  const { count } = lane.waiting.best_effort;
  if (count + tasks.length > bestEffortWaitingMax) return refuse("queue_too_long");
  // They would take a worker for long, from a team that may call at any moment.
  if (tasks.some(isHeavy) && !state.tenants.areQuiet(now)) return refuse("queue_too_long");
  return now + predictedMs > call.deadlineAt
    ? refuse("deadline_infeasible")
    : { kind: "accepted", evicted: [] };
}

/**
 * Returns the expected wait, in ms, of the last of `count` new best-effort tasks: its batch and those before
 * it run one after another, on as many workers as standard tasks have left lately.
 */
export function bestEffortWaitMs(situation: LaneSituation, count: number): number {
  const { state, lane, loads, now } = situation;
  const { queue, retryParts } = lane.waiting.best_effort;
  const { toWorker, fromWorker, reply } = state.hops;
  const size = bestEffortSize(situation);
  const batchesBefore = retryParts.length + Math.ceil((queue.waitingCount + count) / size) - 1;
  const startMs = toWorker.ms + lane.estimates.prepareMs(lane.estimates.lightLoad(size));
  const cycleMs = startMs + lane.estimates.runMs(size) + reply.ms + fromWorker.ms;
  const spare = loads.length === 0 ? spareMin : Math.max(spareMin, lane.estimates.spare.mean(now));
  // While a share of a worker is left, the first batch has to wait for it.
  return startMs + (batchesBefore / spare + Math.max(0, 1 / spare - 1)) * cycleMs;
}

/** Waiting best-effort tasks of a lane: at least the tasks of a call. */
export const bestEffortWaitingMax = 64;

/** Share of a worker: so little that no call can wait for it. */
const spareMin = 0.001;

/** Limit of the retry hint: the spare workers may change within seconds. */
const retryAfterMaxMs = 5_000;
