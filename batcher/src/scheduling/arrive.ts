import { type BatchTask, batchTasks } from "@faceline/contracts/wire/batch";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { type Admission, admit, weightOfAll } from "./admission/admission.ts";
import { evict } from "./admission/shedding.ts";
import { usefulBatch } from "./capacity/batch-size-bounds.ts";
import { type LaneSituation, laneSituation, lightTaskMs } from "./capacity/situation.ts";
import { isHeavy } from "./queue/batch-load.ts";
import { WaitingTime } from "./queue/waiting-time.ts";
import { buildOfCall } from "./reports/lane-builds.ts";
import { expiryAfter } from "./state/sent-batch.ts";
import type { Event, Move, OpenCall, State } from "./state/state.ts";

/** Admits the tasks of a call to the queue of their lane, or refuses the call. */
export function arrive(state: State, arrival: Arrival, now: number): Move[] {
  const { call, answeredBy } = arrival;
  const fresh = batchTasks(call).filter((task) => !state.open.has(task.id));
  if (fresh.length === 0) return [];
  const waiting = withoutThoseOfWorkers(state, fresh);
  const lane = buildOfCall(state, call, answeredBy, now);
  const situation = laneSituation(state, lane, now);
  recordDemand(situation, call, waiting);
  const admission: Admission =
    waiting.length === 0 ? { kind: "accepted", evicted: [] } : admit(situation, call, waiting);
  if (admission.kind === "refused") {
    const { outcome } = admission;
    const waited = newWait(situation, arrival).until(now);
    const { tenant } = call;
    return fresh.map((task) => ({ kind: "answer", task, tenant, lane: lane.id, outcome, waited }));
  }
  if (admission.kind === "probe") lane.probe = call.call;
  const evicted = evict(situation, admission.evicted);
  enqueue(situation, arrival, { fresh, waiting });
  return evicted;
}

/**
 * Returns the tasks that no worker has yet, from another batcher or from before this batcher's partition
 * moved away and back. The batches of the others expire no sooner than their tasks.
 */
function withoutThoseOfWorkers(state: State, tasks: BatchTask[]): BatchTask[] {
  let waiting = tasks;
  for (const sent of state.sent.values()) {
    if (!sent.adopted || sent.phase.kind === "lost") continue;
    waiting = waiting.filter(({ id, deadlineAt }) => {
      if (!sent.tasks.includes(id)) return true;
      const expiresAt = Math.max(sent.expiresAt, expiryAfter(deadlineAt));
      state.loads.changeBatch(sent, { expiresAt });
      return false;
    });
  }
  return waiting;
}

/** Records what a call demands, whether it is admitted or not. */
function recordDemand(situation: LaneSituation, call: CallTasks, waiting: BatchTask[]): void {
  const { state, lane, now } = situation;
  const { tenant } = call;
  if (waiting.length === 0) return;
  const weight = weightOfAll(situation, waiting);
  const workMs = weight * lightTaskMs(situation);
  lane.estimates.demand.add(tenant, weight, now);
  state.demand.add(tenant, workMs, now);
  state.workersNeeded.add(workMs, now);
}

/** Opens all tasks of a call, and queues those that no worker has. */
function enqueue(situation: LaneSituation, arrival: Arrival, { fresh, waiting }: ArrivedTasks): void {
  const { state, lane, sizing, now } = situation;
  const { call, answeredBy } = arrival;
  const { tenant } = call;
  const open: OpenCall = { tenant, lane, answered: answeredBy !== undefined };
  for (const task of fresh) state.open.set(task.id, { task, call: open, wait: newWait(situation, arrival) });
  // At the batch size that current demand allows.
  const taskMs = lightTaskMs({ sizing: usefulBatch(lane, state.hops, sizing, now) });
  const weightOf = (task: BatchTask) => lane.estimates.weightOf(task, taskMs);
  lane.queue.add(tenant, waiting, now, weightOf);
  if (!waiting.every(isHeavy)) lane.lightArrivedAt = now;
  lane.estimates.arrivals.add(waiting.length, call.deadlineAt - now, now);
}

function newWait({ lane, now }: LaneSituation, { call, receivedAt = now }: Arrival): WaitingTime {
  return new WaitingTime(lane.hold, receivedAt - (call.sentAt ?? receivedAt), receivedAt);
}

type Arrival = Extract<Event, { kind: "arrive" }>;

/** The tasks of a call that are new here, and those of them that no worker has. */
type ArrivedTasks = { fresh: BatchTask[]; waiting: BatchTask[] };
