import type { Batch, BatchId, BatchTask } from "@faceline/contracts/wire/batch";
import type { CallId, LaneId, TaskId } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { Report } from "@faceline/contracts/wire/report";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { HopTimes } from "./hop-times.ts";
import { Lane } from "./lane.ts";
import type { SentBatch, Worker } from "./workers.ts";

/** All that the scheduler of a pool knows. Only `decide` changes it. */
export type State = {
  readonly batcher: string;
  readonly settings: SchedulingSettings;
  readonly lanes: Map<LaneId, Lane>;
  readonly workers: Map<string, Worker>;
  readonly sent: Map<BatchId, SentBatch>;
  /** Every task that was read and has not ended, waiting or sent. */
  readonly open: Map<TaskId, OpenTask>;
  readonly hops: HopTimes;
  batchesMade: number;
  /** When something was decided last. */
  decidedAt: number;
  /** The batcher is stopping: nothing is held any more. */
  draining: boolean;
};

export function newState(batcher: string, settings: SchedulingSettings): State {
  return {
    batcher,
    settings,
    lanes: new Map(),
    workers: new Map(),
    sent: new Map(),
    open: new Map(),
    hops: new HopTimes(settings),
    batchesMade: 0,
    decidedAt: Number.POSITIVE_INFINITY,
    draining: false,
  };
}

export function laneNamed(state: State, name: LaneId): Lane {
  const known = state.lanes.get(name);
  if (known !== undefined) return known;
  const lane = new Lane(name);
  state.lanes.set(name, lane);
  return lane;
}

/** What a batch answers that was given up for lost may wait in parts: it leaves them. */
export function end(state: State, tasks: TaskId[], wasLost = false): Move {
  const ended = tasks.filter((id) => state.open.delete(id));
  if (wasLost) for (const lane of state.lanes.values()) lane.removeTasks(ended);
  return { kind: "ended", tasks: ended };
}

/** Another batcher has the tasks now. What the workers said stays true. */
export function handOver(state: State): void {
  state.lanes.clear();
  state.sent.clear();
  state.open.clear();
  for (const worker of state.workers.values()) {
    for (const loaded of worker.report.lanes) {
      laneNamed(state, loaded.lane).warm(loaded.sizes, worker.reportedAt);
    }
  }
}

export type SchedulingSettings = {
  /** More waiting tasks than this in a lane are refused. */
  laneWaitingMax: number;
  /** From a batcher to a worker, and from a worker to the client: guesses, until they were measured. */
  hopMs: number;
  replyMs: number;
};

export type OpenTask = { task: BatchTask; lane: LaneId };

export type Event =
  | { kind: "arrive"; call: CallTasks }
  | { kind: "report"; report: Report }
  | { kind: "cancel"; call: CallId }
  /** Kafka did not take a batch. */
  | { kind: "undelivered"; batch: BatchId }
  /** The batcher is stopping: what waits is sent as soon as a worker can take it. */
  | { kind: "drain" }
  | { kind: "timer" };

export type Move =
  /** Send it to the worker that holds this partition. */
  | { kind: "dispatch"; partition: number; batch: Batch }
  /** The batcher gives the answer. */
  | { kind: "answer"; task: BatchTask; outcome: Extract<Outcome, { kind: "shed" | "expired" | "failed" }> }
  /** The tasks have ended: a worker answered them, or nobody waits for them any more. */
  | { kind: "ended"; tasks: TaskId[] }
  /** Decide again then, if nothing else happens before. */
  | { kind: "wake"; at: number };
