import { type BatchId, batchTasks } from "@faceline/contracts/wire/batch";
import type { CallId, TaskId } from "@faceline/contracts/wire/ids";
import { admit } from "./admission.ts";
import { dispatchBatches } from "./dispatch.ts";
import { recoverLostBatches, requeue } from "./recovery.ts";
import { applyReport } from "./reports.ts";
import { shedToGiveWay } from "./shedding.ts";
import { laneSituation } from "./situation.ts";
import { type Event, endTasks, laneOf, type Move, type State } from "./state.ts";
import { WaitingTime } from "./waiting-time.ts";
import { silenceMaxMs } from "./workers.ts";

/**
 * The batching policy of a pool (described in batcher/README.md). Returns what to do after an event. It holds
 * no timer, no socket, no clock and no random number, so the same code runs in production, in simulations and
 * in tests.
 *
 *     arrive ─► admission ─► lane ─► dispatch ─► a worker ─► report ─► ended
 *                  │                    │           │
 *                  └► shed              └► expired  └► lost, failed ─► recovery ─► lane
 *
 * Once a call has arrived, the state owns its tasks and hands each out exactly once, as an `answer` or as
 * `ended`, unless the partition is lost: then the next batcher reads them again.
 */
export function decide(state: State, event: Event, now: number): Move[] {
  discountOwnStall(state, now);
  return [
    ...handleEvent(state, event, now),
    ...recoverLostBatches(state, now),
    ...dispatchBatches(state, now),
  ];
}

/** After a stall of this process, the reports of that time are still unread: no worker was silent. */
function discountOwnStall(state: State, now: number): void {
  const stalledMs = now - state.lastDecisionAt;
  state.lastDecisionAt = now;
  if (stalledMs < ownStallMs) return;
  for (const worker of state.workers.values()) worker.reportedAt += stalledMs;
}

/**
 * The scheduler loop sends a `timer` event several times a second, so a longer pause is a stall of this
 * process.
 */
const ownStallMs = silenceMaxMs / 2;

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
      return losePartition(state);
    case "drain":
      state.draining = true;
      return [];
    case "timer":
      return [];
  }
}

function arrive(state: State, { call, ...arrival }: Arrival, now: number): Move[] {
  const lane = laneOf(state, call.lane);
  const fresh = batchTasks(call).filter((task) => !state.open.has(task.id));
  if (fresh.length === 0) return [];
  const waiting = fresh.filter((task) => !isWithWorker(state, task.id));
  const { receivedAt = now } = arrival;
  const hopMs = receivedAt - (call.sentAt ?? receivedAt);
  const newWait = () => new WaitingTime(lane.hold, hopMs, receivedAt);
  const gaveWay: Move[] = [];
  if (waiting.length > 0) {
    lane.demand.add(call.tenant, waiting.length, now);
    const situation = laneSituation(state, lane, now);
    const admission = admit(situation, call, waiting.length);
    if (admission.kind === "refused") {
      const { outcome } = admission;
      const waited = newWait().until(now);
      return fresh.map((task) => ({ kind: "answer", task, lane: lane.id, outcome, waited }));
    }
    if (admission.kind === "probe") lane.probe = call.call;
    gaveWay.push(...shedToGiveWay(situation, admission.giveWay));
  }
  for (const task of fresh) state.open.set(task.id, { task, lane: lane.id, wait: newWait() });
  lane.queue.add(call.tenant, waiting, now);
  lane.arrivals.add(waiting.length, call.deadlineAt - now, now);
  return gaveWay;
}

type Arrival = Extract<Event, { kind: "arrive" }>;

/**
 * Whether a worker has the task already, from another batcher or from before this one's partition moved away
 * and back.
 */
function isWithWorker(state: State, task: TaskId): boolean {
  for (const sent of state.sent.values()) {
    if (sent.adopted && sent.phase.kind !== "lost" && sent.tasks.includes(task)) return true;
  }
  return false;
}

/** Drops the waiting tasks of a call; those that were sent go on. */
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

/** Forgets every task and batch, which are another batcher's now. What the workers reported stays true. */
function losePartition(state: State): Move[] {
  state.holdsPartition = false;
  state.lanes.clear();
  state.sent.clear();
  state.open.clear();
  for (const worker of state.workers.values()) {
    for (const { lane, sizes } of worker.report.lanes) laneOf(state, lane).warmUp(sizes, worker.reportedAt);
  }
  return [];
}
