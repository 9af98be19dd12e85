import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { CallId, LaneId, TaskId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { ServiceClass } from "@faceline/contracts/wire/task";
import { LaneEstimates } from "../estimates/lane-estimates.ts";
import type { FairQueue } from "../queue/fair-queue.ts";
import { type TaskGroup, WaitingTasks } from "../queue/waiting-tasks.ts";
import { HoldTime } from "../queue/waiting-time.ts";

/** One model with one detector in one build: its waiting tasks, and its estimates of arrivals and times. */
export class Lane {
  readonly id: LaneId;
  /** Null while no worker has reported the lane: then its calls wait for the first one. */
  build: LaneBuild | null;
  readonly createdAt: number;
  readonly waiting: Record<ServiceClass, WaitingTasks> = {
    standard: new WaitingTasks(),
    best_effort: new WaitingTasks(),
  };
  readonly hold = new HoldTime();
  readonly estimates = new LaneEstimates();
  /** Instant at which a light task arrived last. */
  lightArrivedAt = Number.NEGATIVE_INFINITY;
  /** A call that was accepted although it is predicted to be late, to learn whether the prediction holds. */
  probe: CallId | undefined;

  constructor(id: LaneId, build: LaneBuild | null, now: number) {
    this.id = id;
    this.build = build;
    this.createdAt = now;
  }

  get key(): LaneKey {
    return laneKey(this.id, this.build);
  }

  /** Queue of standard tasks. */
  get queue(): FairQueue {
    return this.waiting.standard.queue;
  }

  get retryParts(): TaskGroup[] {
    return this.waiting.standard.retryParts;
  }

  get waitingCount(): number {
    return this.waiting.standard.count;
  }

  /** See WaitingTasks. */
  dueBeforeCount(deadlineAt: number): number {
    return this.waiting.standard.dueBeforeCount(deadlineAt);
  }

  /** Removes the call's waiting tasks of either class. */
  removeCall(call: CallId): BatchTask[] {
    return this.#classes.flatMap((each) => each.removeCall(call));
  }

  /** Calls that have waiting tasks. */
  waitingCalls(): Set<CallId> {
    return new Set(this.#classes.flatMap((each) => [...each.calls()]));
  }

  waitingTasksOf(call: CallId): BatchTask[] {
    return this.#classes.flatMap((each) => each.tasksOf(call));
  }

  removeTasks(ids: readonly TaskId[]): void {
    for (const each of this.#classes) each.removeTasks(ids);
  }

  get #classes(): WaitingTasks[] {
    return [this.waiting.standard, this.waiting.best_effort];
  }
}

/** Identifies a lane in the scheduler: model, detector and build. */
export const laneKey = (id: LaneId, build: LaneBuild | null): LaneKey =>
  `${id} ${build?.digest ?? "unbuilt"}` as LaneKey;
export type LaneKey = string & { readonly brand: unique symbol };
