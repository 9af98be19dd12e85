import type { BatchId } from "@faceline/contracts/wire/batch";
import type { CallId } from "@faceline/contracts/wire/ids";
import { arrive } from "./arrive.ts";
import { sampleWorkersNeeded } from "./capacity/pool-needs.ts";
import { dispatchBatches } from "./dispatch/dispatch.ts";
import { WorkersNeeded } from "./estimates/workers-needed.ts";
import { moveStrandedCalls } from "./reports/lane-builds.ts";
import { recoverLostBatches, requeue } from "./reports/recovery.ts";
import { applyReport, largestSizes } from "./reports/reports.ts";
import { type Event, endTasks, laneOf, type Move, type State } from "./state/state.ts";
import { silenceMaxMs } from "./state/workers.ts";

/**
 * The batching policy of a pool (described in docs/developing/batching.md). Returns what to do after an
 * event. It holds no timer, no socket, no clock and no random number, so the same code runs in production, in
 * simulations and in tests. Each folder imports only from those before it: queue, estimates, state, capacity,
 * admission, dispatch, reports.
 *
 *     arrive ─► admission ─► lane ─► dispatch ─► a worker ─► report ─► ended
 *                  │                    │           │
 *                  └► shed              └► expired  └► lost, failed ─► recovery ─► lane
 *
 * Once a call has arrived, the state owns its tasks and hands each out exactly once, as an `answer` or as
 * `ended`, unless the partition is lost: then the next batcher reads them again.
 */
export function decide(state: State, event: Event, now: number): Move[] {
  if (event.kind === "session") state.sessionEndsAt = event.endsAt;
  if (now >= state.sessionEndsAt) return decideWithoutSession(state, event, now);
  discountOwnStall(state, event, now);
  const moves = handleDeferred(state, now);
  moves.push(...handleEvent(state, event, now));
  moves.push(...recoverLostBatches(state, now));
  moves.push(...moveStrandedCalls(state, now));
  moves.push(...dispatchBatches(state, now));
  sampleWorkersNeeded(state, now);
  return moves;
}

/**
 * Another batcher may hold the partition by now, so nothing is dispatched and no task is answered. If the
 * session is renewed after all, for example after a pause of the broker, everything continues from here.
 */
function decideWithoutSession(state: State, event: Event, now: number): Move[] {
  switch (event.kind) {
    case "report": {
      // A report replaces the one before: one for each worker is enough.
      const { worker } = event.report;
      const before = state.deferred.findIndex(
        (each) => each.kind === "report" && each.report.worker === worker,
      );
      if (before !== -1) state.deferred.splice(before, 1);
      state.deferred.push({ ...event, receivedAt: now });
      return [];
    }
    case "cancel":
      if (waits(state, event.call)) state.deferred.push(event);
      return [];
    case "arrive":
    case "undelivered":
      state.deferred.push(event);
      return [];
    case "session":
    case "timer":
      return [];
    case "partition_assigned":
    case "partition_lost":
    case "drain":
      return handleEvent(state, event, now);
  }
}

/**
 * Whether a request has tasks here that a cancel would drop. Cancels come over Redis: while Kafka is down,
 * those for requests of the next batcher arrive as well, and would pile up here.
 */
function waits(state: State, id: CallId): boolean {
  const isQueued = state.lanes.values().some((lane) => lane.waitingTasksOf(id).length > 0);
  return isQueued || state.deferred.some((each) => each.kind === "arrive" && each.call.call === id);
}

function handleDeferred(state: State, now: number): Move[] {
  if (state.deferred.length === 0) return [];
  const deferred = state.deferred.splice(0);
  return deferred.flatMap((each) => handleEvent(state, each, each.kind === "report" ? each.receivedAt : now));
}

/**
 * Subtracts a stall of this process from the silence of workers: reports of that time are still unread. The
 * same holds for a wait for a core, during which this process reads late, and workers beside it report and
 * run late.
 */
function discountOwnStall(state: State, event: Event, now: number): void {
  const pauseMs = now - state.lastDecisionAt;
  state.lastDecisionAt = now;
  const withoutCoreMs = (event.kind === "timer" ? event.withoutCoreMs : undefined) ?? 0;
  const stalledMs = pauseMs >= ownStallMs ? pauseMs : withoutCoreMs;
  if (stalledMs < discountMinMs) return;
  for (const worker of state.workers.values()) {
    const { reportedAt, preparing } = worker;
    state.loads.changeWorker(worker, {
      reportedAt: Math.min(now, reportedAt + stalledMs),
      preparing: preparing && { ...preparing, since: preparing.since + stalledMs },
    });
  }
  for (const sent of state.sent.values()) {
    const { discountedMs, phase } = sent;
    const isTravelling = phase.kind === "travelling";
    state.loads.changeBatch(sent, {
      discountedMs: discountedMs + stalledMs,
      phase: isTravelling ? { ...phase, receiveBy: phase.receiveBy + stalledMs } : phase,
    });
  }
}

/**
 * The scheduler loop sends a `timer` event several times a second, so a longer pause is a stall of this
 * process.
 */
const ownStallMs = silenceMaxMs / 2;
/** Shorter waits between two ticks are normal on machines whose cores the workers use up. */
const discountMinMs = 25;

function handleEvent(state: State, event: Event, now: number): Move[] {
  switch (event.kind) {
    case "arrive":
      return arrive(state, event, now);
    case "report":
      return applyReport(state, event.report, now);
    case "cancel":
      return cancel(state, event.call);
    case "undelivered":
      return undelivered(state, event.batch);
    case "partition_assigned":
      state.holdsPartition = true;
      return [];
    case "partition_lost":
      return losePartition(state, now);
    case "drain":
      state.draining = true;
      return [];
    case "session":
    case "timer":
      return [];
  }
}

/** Drops the waiting tasks of a request; those that were sent continue. */
function cancel(state: State, call: CallId): Move[] {
  const dropped = [...state.lanes.values()].flatMap((lane) => lane.removeCall(call));
  if (dropped.length === 0) return [];
  const ids = dropped.map((task) => task.id);
  return [endTasks(state, ids)];
}

function undelivered(state: State, batch: BatchId): Move[] {
  const sent = state.sent.get(batch);
  return sent?.phase.kind === "travelling" ? requeue(state, sent, "undelivered") : [];
}

/** Forgets all tasks and batches, which are another batcher's now, and keeps what the workers reported. */
function losePartition(state: State, now: number): Move[] {
  state.holdsPartition = false;
  state.workersNeeded = new WorkersNeeded();
  state.deferred.length = 0;
  state.lanes.clear();
  state.loads.removeAllBatches();
  state.open.clear();
  for (const worker of state.workers.values()) {
    for (const { lane: id, build, sizes } of worker.report.lanes) {
      const lane = laneOf(state, id, build, now);
      lane.estimates.warmUp(sizes, worker.reportedAt);
      lane.estimates.sizes = largestSizes(state, lane);
    }
  }
  return [];
}
