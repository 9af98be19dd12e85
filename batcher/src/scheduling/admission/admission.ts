import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { CallId } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { longestCompetingBatchMs } from "../capacity/competing-lanes.ts";
import { expectedStartAt, type LaneSituation, lightTaskMs } from "../capacity/situation.ts";
import { type BatchLoad, loadOf } from "../queue/batch-load.ts";
import { isIdle } from "../state/worker-loads.ts";
import { callsToEvict } from "./shedding.ts";

/**
 * Decides whether new tasks of a call may queue. A call is refused on arrival if it would be answered
 * too late (`deadline_infeasible`), or would wait longer than in a healthy queue (`queue_too_long`): the
 * refusal then takes milliseconds and the client can go elsewhere. Reads the situation and changes nothing.
 */
export function admit(situation: LaneSituation, call: CallTasks, tasks: BatchTask[]): Admission {
  const { state, lane, competing, sizing, now } = situation;
  const { tenant, deadlineAt } = call;
  const weight = weightOfAll(situation, tasks);
  const position = lane.queue.positionOfNew(tenant, weight);
  const load = heaviestLoad(tasks);
  const waitMs = expectedStartAt(situation, { position, deadlineAt, load }) - now;
  const runMs = lane.estimates.runMs(Math.min(position, sizing.usefulSize));
  const predictedMs = waitMs + runMs + state.hops.reply.ms;
  const refuse = (reason: Shed["reason"]): Admission => ({
    kind: "refused",
    outcome: { kind: "shed", reason, predictedMs, retryAfterMs: waitMs },
  });

  const evicted = callsToEvict(situation, tenant, tasks.length);
  if (evicted === undefined) return refuse("queue_too_long");
  if (now + predictedMs > deadlineAt) {
    return mayProbe(situation) ? { kind: "probe", evicted } : refuse("deadline_infeasible");
  }
  // A lane of short runs has to accept the long runs of a competing lane, and heavy images the preparation
  // of those before them.
  const longestRunMs = Math.max(
    lane.estimates.runMs(sizing.deadlineSize),
    longestCompetingBatchMs(competing, now),
    load.isHeavy ? longestPreparationMs(situation, load) : 0,
  );
  const waitMaxMs = Math.max(waitMaxRuns * longestRunMs, waitMaxShare * (deadlineAt - now));
  if (waitMs <= waitMaxMs) return { kind: "accepted", evicted };

  // A tenant that has less waiting than another, or demands less than its share, is judged only by its own
  // queue.
  const ownWeight = lane.queue.waitingWeightOf(tenant) + weight;
  const ownWaitMs = expectedStartAt(situation, { position: ownWeight, deadlineAt, load }) - now;
  const tasksPerMs = (sizing.availableWorkers * sizing.usefulSize) / sizing.cycleMs;
  const answersForItselfOnly =
    ownWeight <= lane.queue.longestOtherQueue(tenant) ||
    lane.estimates.demand.isWithinShare(tenant, tasksPerMs, now);
  const isAccepted = answersForItselfOnly && ownWaitMs <= waitMaxMs;
  return isAccepted ? { kind: "accepted", evicted } : refuse("queue_too_long");
}

/** Returns the longest preparation of this heavy load and the heavy batches that are prepared now. */
function longestPreparationMs({ lane, loads }: LaneSituation, load: BatchLoad): number {
  const preparations = loads.map(({ stagedHeavy }) =>
    stagedHeavy === undefined ? 0 : stagedHeavy.preparedAt - stagedHeavy.sentAt,
  );
  return Math.max(lane.estimates.prepareMs(load), ...preparations);
}

/** Returns the weight of these tasks together: see LaneEstimates.weightOf. */
export function weightOfAll(situation: LaneSituation, tasks: BatchTask[]): number {
  const taskMs = lightTaskMs(situation);
  return tasks.reduce((sum, task) => sum + situation.lane.estimates.weightOf(task, taskMs), 0);
}

function heaviestLoad(tasks: BatchTask[]): BatchLoad {
  return loadOf([tasks.reduce((heaviest, task) => (task.cost > heaviest.cost ? task : heaviest))]);
}

/**
 * A lane whose time model is wrong could refuse everything, so run nothing, and never correct the model. A
 * lane that has learned nothing for a while therefore gives one request to an idle worker, which costs
 * nothing.
 */
function mayProbe({ lane, loads, now }: LaneSituation): boolean {
  return now - lane.estimates.learnedAt > staleAfterMs && lane.waitingCount === 0 && loads.some(isIdle);
}

/** The queue wait that is healthy: this many runs of a batch, or this share of the task's time budget. */
const waitMaxRuns = 1.5;
const waitMaxShare = 0.25;

/** A time model that learned nothing for this long may be wrong. */
const staleAfterMs = 1_000;

export type Admission =
  | { kind: "accepted"; evicted: CallId[] }
  /** Predicted to be late, and accepted to learn whether the prediction holds. */
  | { kind: "probe"; evicted: CallId[] }
  | { kind: "refused"; outcome: Shed };

type Shed = Extract<Outcome, { kind: "shed" }>;
