// Types and construction of the state; every test of the scheduler covers it. Each field is described where
// it is read.
import type { Batch, BatchId, BatchTask } from "@faceline/contracts/wire/batch";
import type { CallId, LaneId, TaskId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { Report } from "@faceline/contracts/wire/report";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { HopTimes } from "./hop-times.ts";
import { Lane, type LaneKey, laneKey } from "./lane.ts";
import { RecentTenants } from "./recent-tenants.ts";
import type { SentBatch } from "./sent-batch.ts";
import type { Worker } from "./workers.ts";

/** All that the scheduler of one pool knows. Only `decide` changes it. */
export type State = {
  /** Process id of the batcher; batch ids begin with it. */
  readonly batcher: string;
  readonly settings: SchedulingSettings;
  /** One for each build of each model and detector. */
  readonly lanes: Map<LaneKey, Lane>;
  readonly workers: Map<string, Worker>;
  /** Batches that were sent and have not ended. */
  readonly sent: Map<BatchId, SentBatch>;
  /** Every task that was read and has not ended, waiting or sent. */
  readonly open: Map<TaskId, OpenTask>;
  readonly hops: HopTimes;
  readonly tenants: RecentTenants;
  /** Batches made so far, for their ids. */
  batchCount: number;
  /** Instant of the latest call of `decide`. */
  lastDecisionAt: number;
  /** This batcher holds the partition of the tasks topic: it is the active one of its pool. */
  holdsPartition: boolean;
  /** Before this instant Kafka gives the partition to no other batcher. Nothing is decided after it. */
  sessionEndsAt: number;
  /**
   * Events since then, in their order: the last report of each worker, and the rest. They are few, because a
   * consumer reads on after a failed heartbeat only once for each try.
   */
  readonly deferred: DeferredEvent[];
  /** The batcher is stopping: no batch is held back for neighbours any more. */
  draining: boolean;
};

/** Returns the state of a batcher that has seen no event yet. */
export function newState(batcher: string, settings: SchedulingSettings): State {
  return {
    batcher,
    settings,
    lanes: new Map(),
    workers: new Map(),
    sent: new Map(),
    open: new Map(),
    hops: new HopTimes(settings),
    tenants: new RecentTenants(),
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
  const known = state.lanes.get(laneKey(id, build));
  if (known !== undefined) return known;
  const unbuilt = state.lanes.get(laneKey(id, null));
  const lane = unbuilt ?? new Lane(id, build, now);
  if (unbuilt !== undefined) state.lanes.delete(unbuilt.key);
  lane.build = build;
  state.lanes.set(lane.key, lane);
  return lane;
}

/**
 * Closes tasks that a worker has answered or that no client waits for. With `ofLostBatch`, copies of them may
 * wait for a retry: they are removed from the lanes.
 */
export function endTasks(state: State, tasks: TaskId[], ofLostBatch = false): Move {
  const ended = tasks.filter((id) => state.open.delete(id));
  if (ofLostBatch) for (const lane of state.lanes.values()) lane.removeTasks(ended);
  return { kind: "ended", tasks: ended };
}

export type SchedulingSettings = {
  /** Waiting tasks of a lane; a call that exceeds it is refused. */
  laneWaitingMax: number;
  /** Time from a batcher to a worker or back, in ms: a guess until it was measured. */
  hopMs: number;
  /** Time from the end of a run to the client, in ms: a guess until it was measured. */
  replyMs: number;
};

type OpenTask = { task: BatchTask; call: OpenCall };

/** Shared by the open tasks of a call. */
export type OpenCall = {
  /** All of them wait in this lane, and run on its build. */
  lane: Lane;
  /** A worker has answered one: the others can run on no other build any more. */
  answered: boolean;
};

export type Event =
  /**
   * A call was read from the tasks topic. `answeredBy`: the build that has answered others of its tasks,
   * which the event leaves out.
   */
  | { kind: "arrive"; call: CallTasks; answeredBy?: LaneBuild | undefined }
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
  /** Time has passed: a `wake` is due, or the regular tick that finds silent workers. */
  | { kind: "timer" };

type DeferredEvent =
  | Extract<Event, { kind: "arrive" | "cancel" | "undelivered" }>
  | (Extract<Event, { kind: "report" }> & { receivedAt: number });

export type Move =
  /** Send the batch to the worker that holds this partition. */
  | { kind: "dispatch"; partition: number; batch: Batch }
  /** The batcher itself answers the task, which ends it. */
  | { kind: "answer"; task: BatchTask; outcome: Extract<Outcome, { kind: "shed" | "expired" | "failed" }> }
  /** The tasks have ended: a worker answered them, or no client waits for them any more. */
  | { kind: "ended"; tasks: TaskId[] }
  /** Send a `timer` event at this instant if no other event comes first. */
  | { kind: "wake"; at: number };
