// Types and construction of the state; every test of the scheduler covers it. Each field is described where
// it is read.
import type { Batch, BatchId, BatchTask } from "@faceline/contracts/wire/batch";
import type { CallId, LaneId, TaskId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { FinishedBatch, Report } from "@faceline/contracts/wire/report";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { noWait, type TaskWait } from "@faceline/contracts/wire/timing";
import { HopTimes } from "../estimates/hop-times.ts";
import { TenantDemand } from "../estimates/tenant-demand.ts";
import { WorkersNeeded } from "../estimates/workers-needed.ts";
import type { WaitingTime } from "../queue/waiting-time.ts";
import { Lane, type LaneKey, laneKey } from "./lane.ts";
import type { SentBatch } from "./sent-batch.ts";
import { WorkerLoads } from "./worker-loads.ts";
import type { Worker } from "./workers.ts";

/** The whole state of the scheduler of one pool. Only `decide` changes it. */
export type State = {
  /** Process id of the batcher; batch ids begin with it. */
  readonly batcher: string;
  settings: SchedulingSettings;
  /** One for each build of each model and detector. */
  readonly lanes: Map<LaneKey, Lane>;
  /** Owns `workers` and `sent`: all of their changes go through it. */
  readonly loads: WorkerLoads;
  readonly workers: ReadonlyMap<string, Worker>;
  /** Batches that were sent and have not ended. */
  readonly sent: ReadonlyMap<BatchId, SentBatch>;
  /** Every task that was read and has not ended, waiting or sent. */
  readonly open: Map<TaskId, OpenTask>;
  readonly hops: HopTimes;
  /** Demand of each tenant in all lanes together, in ms of a worker's time. */
  readonly demand: TenantDemand;
  /** Number that an autoscaler follows; reset when the partition has moved. */
  workersNeeded: WorkersNeeded;
  /** Batches made so far, for their ids. */
  batchCount: number;
  /** Instant of the latest call of `decide`. */
  lastDecisionAt: number;
  /** This batcher holds the partition of the tasks topic: it is the active one of its pool. */
  holdsPartition: boolean;
  /** Instant until which Kafka gives the partition to no other batcher. Nothing is decided after it. */
  sessionEndsAt: number;
  /**
   * Events since then, in their order: the last report of each worker, and the rest. They are few: a consumer
   * reads on after a failed heartbeat only once for each try, and only cancels of calls that wait are kept.
   */
  readonly deferred: DeferredEvent[];
  /** The batcher is stopping: no batch is held back for neighbours any more. */
  draining: boolean;
};

/** Returns the state of a batcher that has seen no event yet. */
export function newState(batcher: string, settings: SchedulingSettings): State {
  const loads = new WorkerLoads();
  return {
    batcher,
    settings,
    lanes: new Map(),
    loads,
    workers: loads.workers,
    sent: loads.sent,
    open: new Map(),
    hops: new HopTimes(settings),
    demand: new TenantDemand(),
    workersNeeded: new WorkersNeeded(),
    batchCount: 0,
    lastDecisionAt: Number.POSITIVE_INFINITY,
    holdsPartition: false,
    sessionEndsAt: Number.POSITIVE_INFINITY,
    deferred: [],
    draining: false,
  };
}

/**
 * Returns the lane of this build, and creates it at its first use. A lane that calls waited in before any
 * worker reported it becomes that of the first build.
 */
export function laneOf(state: State, id: LaneId, build: LaneBuild | null, now: number): Lane {
  // Cheaper than its key: every report asks for its lanes.
  for (const lane of state.lanes.values()) {
    if (lane.id === id && lane.build?.digest === build?.digest) return lane;
  }
  const unbuilt = state.lanes.get(laneKey(id, null));
  const lane = unbuilt ?? new Lane(id, build, now);
  if (unbuilt !== undefined) state.lanes.delete(unbuilt.key);
  lane.build = build;
  state.lanes.set(lane.key, lane);
  return lane;
}

/** Closes a task that no worker will answer, with its outcome. */
export function answerTask(state: State, task: BatchTask, outcome: OwnOutcome): AnswerMove {
  const open = state.open.get(task.id);
  const waited = open?.wait.until(state.lastDecisionAt) ?? noWait;
  const { lane, tenant } = open?.call ?? {};
  state.open.delete(task.id);
  return { kind: "answer", task, tenant, lane: lane?.id, outcome, waited };
}

/**
 * Closes tasks that a worker has answered or that no client waits for. With `ofLostBatch`, copies of them may
 * wait for a retry: they are removed from the lanes.
 */
export function endTasks(state: State, tasks: readonly TaskId[], ofLostBatch = false): Move {
  const ended = tasks.filter((id) => state.open.delete(id));
  if (ofLostBatch) for (const lane of state.lanes.values()) lane.removeTasks(ended);
  return { kind: "ended", tasks: ended };
}

export type SchedulingSettings = {
  /** Waiting tasks of a lane; a call that exceeds it is refused. */
  laneWaitingMax: number;
  /** Largest batch of a simulation; infinity: the largest size that workers have loaded. */
  batchMax: number;
  /** The share of several workers' time that batches of the smallest sufficient size may take. */
  utilisationTarget: number;
  /** Time from a batcher to a worker or back, in ms: a guess until it was measured. */
  hopMs: number;
  /** Time from the end of a run to the client, in ms: a guess until it was measured. */
  replyMs: number;
};

type OpenTask = { task: BatchTask; call: OpenCall; wait: WaitingTime };

/** Shared by the open tasks of a call. */
export type OpenCall = {
  tenant: string;
  /** All of them wait in this lane, and run on its build. */
  lane: Lane;
  /** A worker has answered one: the others can no longer run on another build. */
  answered: boolean;
};

/** The outcomes that a batcher decides itself. */
type OwnOutcome = Extract<Outcome, { kind: "shed" | "expired" | "failed" }>;

/** The batcher itself answers the task, which ends it. `waited`: how its time passed here. */
export type AnswerMove = {
  kind: "answer";
  task: BatchTask;
  tenant: string | undefined;
  lane: LaneId | undefined;
  outcome: OwnOutcome;
  waited: TaskWait;
};

/** Send the batch to the worker that holds this partition. */
export type Dispatch = {
  kind: "dispatch";
  partition: number;
  batch: Batch;
  worker: string;
  /** The size that the batch is padded to. */
  paddedSize: number;
  /** The end of its run, as predicted. */
  predictedEndAt: number;
};

/** How a batch ended: with its answers or, in the words of RequeueCause, without. */
export type BatchEnd = {
  kind: "answered" | "lost" | "failed" | "unreceived" | "undelivered" | "handed_over";
  /** Its worker's report on it, if there was one. */
  finished?: FinishedBatch;
};

export type Event =
  /**
   * A call was read from the tasks topic. Without `receivedAt`, just now. `answeredBy`: the build that has
   * answered others of its tasks, which the event leaves out.
   */
  | { kind: "arrive"; call: CallTasks; receivedAt?: number; answeredBy?: LaneBuild | undefined }
  | { kind: "report"; report: Report }
  /** The client of a call has gone. */
  | { kind: "cancel"; call: CallId }
  /** Kafka did not take a batch. */
  | { kind: "undelivered"; batch: BatchId }
  /** This batcher holds the tasks partition: at the start, or after a rebalance. */
  | { kind: "partition_assigned" }
  /** Another batcher holds the tasks partition now, and reads every task that has not ended. */
  | { kind: "partition_lost" }
  /** Kafka has confirmed that no other batcher is given the partition before this instant. */
  | { kind: "session"; endsAt: number }
  /** The batcher is stopping: waiting tasks are sent as soon as a worker can take them. */
  | { kind: "drain" }
  /**
   * Time has passed: a `wake` is due, or the regular tick that finds silent workers. `withoutCoreMs`: how
   * much of it this process had no core since the last tick.
   */
  | { kind: "timer"; withoutCoreMs?: number };

type DeferredEvent =
  | Extract<Event, { kind: "arrive" | "cancel" | "undelivered" }>
  | (Extract<Event, { kind: "report" }> & { receivedAt: number });

export type Move =
  | Dispatch
  /** A batch has ended, or is given up. */
  | { kind: "batch_ended"; sent: SentBatch; end: BatchEnd }
  | AnswerMove
  /** The tasks have ended: a worker answered them, or no client waits for them any more. */
  | { kind: "ended"; tasks: TaskId[] }
  /** Send a `timer` event at this instant if no other event comes first. */
  | { kind: "wake"; at: number };
