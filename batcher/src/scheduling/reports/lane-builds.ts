import { batchTasks } from "@faceline/contracts/wire/batch";
import { type CallId, callIdOf, type LaneId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { weightOfAll } from "../admission/admission.ts";
import { expectedStartAt, type LaneSituation, laneSituation, lightTaskMs } from "../capacity/situation.ts";
import type { Lane } from "../state/lane.ts";
import { answerTask, laneOf, type Move, type State } from "../state/state.ts";
import { assumedAbsenceMs, hasWorker, sizeMaxOf } from "../state/workers.ts";

// Workers of one pool may run different builds of a lane: other weights during a rollout, other precisions
// on other CPUs. Their embeddings must not meet in a call, so each build is a lane of its own, with its own
// queue and times, and all tasks of a call wait in one of them.

/**
 * Returns the build that a new request waits for: that of its other tasks, or `answeredBy` if some were
 * answered before this batcher took over; otherwise the one that would start it soonest.
 */
export function buildOfCall(
  state: State,
  call: CallTasks,
  answeredBy: LaneBuild | undefined,
  now: number,
): Lane {
  if (answeredBy !== undefined) return laneOf(state, call.lane, answeredBy, now);
  const adopted = adoptedLaneOf(state, call);
  if (adopted !== undefined) return adopted;
  const builds = buildsOf(state, call.lane);
  const [first = laneOf(state, call.lane, null, now), ...others] = builds;
  if (others.length === 0) return first;
  const { tenant, deadlineAt } = call;
  const tasks = batchTasks(call);
  const positionIn = (situation: LaneSituation) =>
    situation.lane.queue.positionOfNew(tenant, weightOfAll(situation, tasks));
  return soonestOf(state, builds, { positionIn, deadlineAt }, now) ?? first;
}

/**
 * Moves calls whose build no worker in service has to one that has workers: each whole, so only those
 * without an answer. Calls that have answers wait for a worker to come back, and fail after its usual
 * absence. Without any worker in service all wait, as in a pool of one build.
 */
export function moveStrandedCalls(state: State, now: number): Move[] {
  const moves: Move[] = [];
  if (state.lanes.size < 2) return moves;
  for (const lane of state.lanes.values()) {
    const others = buildsOf(state, lane.id).filter((each) => each !== lane);
    if (others.length === 0 || hasWorker(state, lane, now)) continue;
    if (lane.waitingCalls().size > 0) moves.push(...moveFrom(state, lane, others, now));
    else if (isUnused(state, lane)) state.lanes.delete(lane.key);
  }
  return moves;
}

function moveFrom(state: State, lane: Lane, others: Lane[], now: number): Move[] {
  const target = soonestOf(
    state,
    others,
    { positionIn: ({ lane }) => lane.queue.waitingCount + 1, deadlineAt: Number.POSITIVE_INFINITY },
    now,
  );
  if (target === undefined) return [];
  const moves: Move[] = [];
  const underWay = callsUnderWay(state);
  const isGone = now - seenAt(state, lane) >= assumedAbsenceMs;
  for (const call of lane.waitingCalls()) {
    // This build may still answer it.
    if (underWay.has(call)) continue;
    if (!isAnswered(state, lane, call)) moveCall(state, call, lane, target, now);
    else if (isGone) moves.push(...failCall(state, lane, call));
  }
  return moves;
}

/** Moves the waiting tasks of a call. Retries keep their attempts and stay apart. */
export function moveCall(state: State, call: CallId, from: Lane, to: Lane, now: number): void {
  const parts = from.removeCallFromParts(call);
  const tenant = from.queue.tenantOf(call);
  const queued = from.queue.removeCall(call);
  to.retryParts.push(...parts);
  if (tenant !== undefined) {
    const taskMs = lightTaskMs(laneSituation(state, to, now));
    to.queue.add(tenant, queued, now, (task) => to.estimates.weightOf(task, taskMs));
    to.estimates.arrivals.add(queued.length, queued[0]!.deadlineAt - now, now);
  }
  for (const { id } of [...parts.flatMap(({ tasks }) => tasks), ...queued]) {
    const open = state.open.get(id);
    if (open === undefined) continue;
    open.call.lane = to;
    open.wait.moveTo(to.hold, now);
  }
}

function failCall(state: State, lane: Lane, call: CallId): Move[] {
  const outcome = { kind: "failed", reason: "build_gone" } as const;
  return lane.removeCall(call).map((task) => answerTask(state, task, outcome));
}

function soonestOf(
  state: State,
  builds: Lane[],
  { positionIn, deadlineAt }: { positionIn(situation: LaneSituation): number; deadlineAt: number },
  now: number,
): Lane | undefined {
  let soonest: { lane: Lane; endsAt: number; freeAt: number } | undefined;
  for (const lane of builds) {
    if (!hasWorker(state, lane, now)) continue;
    const situation = laneSituation(state, lane, now);
    const startAt = expectedStartAt(situation, { position: positionIn(situation), deadlineAt });
    const endsAt = startAt + lane.estimates.runMs(1);
    // While images are prepared, a busy worker may become free; between equal ones, the idle one is taken.
    const freeAt = Math.min(...situation.loads.map((load) => load.freeAt));
    const isSooner = soonest === undefined || endsAt < soonest.endsAt;
    if (isSooner || (endsAt === soonest?.endsAt && freeAt < soonest.freeAt))
      soonest = { lane, endsAt, freeAt };
  }
  return soonest?.lane;
}

const buildsOf = (state: State, id: LaneId): Lane[] =>
  [...state.lanes.values()].filter((lane) => lane.id === id);

/** The build of the worker to which another batcher sent tasks of this request. */
function adoptedLaneOf(state: State, { call }: CallTasks): Lane | undefined {
  for (const { adopted, phase, lane, tasks } of state.sent.values()) {
    if (adopted && phase.kind !== "lost" && tasks.some((id) => callIdOf(id) === call)) return lane;
  }
  return undefined;
}

/** Calls with tasks that a worker has. */
function callsUnderWay({ sent }: State): Set<CallId> {
  const calls = new Set<CallId>();
  for (const { phase, tasks } of sent.values()) {
    if (phase.kind !== "lost") for (const id of tasks) calls.add(callIdOf(id));
  }
  return calls;
}

const isAnswered = ({ open }: State, lane: Lane, call: CallId): boolean =>
  lane.waitingTasksOf(call).some(({ id }) => open.get(id)?.call.answered);

/** Instant of the last report of a worker with this build. */
function seenAt(state: State, lane: Lane): number {
  let at = lane.createdAt;
  for (const worker of state.workers.values()) {
    if (sizeMaxOf(worker, lane) > 0) at = Math.max(at, worker.reportedAt);
  }
  return at;
}

function isUnused(state: State, lane: Lane): boolean {
  const isKnown = [...state.workers.values()].some((worker) => sizeMaxOf(worker, lane) > 0);
  return !isKnown && ![...state.sent.values()].some((sent) => sent.lane === lane);
}
