import type { BatchTask } from "@faceline/contracts/wire/batch";
import { type CallId, callIdOf, type LaneId, type TaskId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import { LaneEstimates } from "../estimates/lane-estimates.ts";
import { FairQueue } from "../queue/fair-queue.ts";
import type { QueuedTask } from "../queue/tenant-queue.ts";
import { HoldTime } from "../queue/waiting-time.ts";

/**
 * One model with one detector in one build: its waiting tasks, and its estimates of arrivals and times.
 *
 *     arrive ──► [ queue: tenants in turns, earliest deadline first within one ] ──► a batch
 *     a batch that was lost or failed ──► [ retryParts: first, never mixed with others ] ──► a batch
 */
export class Lane {
  readonly id: LaneId;
  /** Null while no worker has reported the lane: then its calls wait for the first one. */
  build: LaneBuild | null;
  readonly createdAt: number;
  readonly queue = new FairQueue();
  retryParts: TaskGroup[] = [];
  readonly hold = new HoldTime();
  readonly estimates = new LaneEstimates();
  /** Instant at which the last light task arrived. */
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

  get waitingCount(): number {
    return this.queue.waitingCount + this.#retryCount;
  }

  /** Number of tasks that go before a task of this deadline: those due earlier, and every retry. */
  dueBeforeCount(deadlineAt: number): number {
    return this.queue.dueBeforeCount(deadlineAt) + this.#retryCount;
  }

  /** The earliest deadline; infinity if nothing waits. */
  get earliestDeadlineAt(): number {
    let earliest = this.queue.head?.task.deadlineAt ?? Number.POSITIVE_INFINITY;
    for (const part of this.retryParts)
      for (const task of part.tasks) earliest = Math.min(earliest, task.deadlineAt);
    return earliest;
  }

  /** Takes queued tasks. Where one is a probe, the next report says whether its prediction held. */
  dequeue(tasks: QueuedTask[]): TaskGroup {
    this.probe = undefined;
    return { tasks: this.queue.dequeue(tasks), attempt: 1, mayBePoison: false };
  }

  /** Takes at most `countMax` tasks of the first retry part. */
  dequeueRetry(countMax: number): TaskGroup {
    const part = this.retryParts[0]!;
    const tasks = part.tasks.splice(0, countMax);
    if (part.tasks.length === 0) this.retryParts.shift();
    return { ...part, tasks };
  }

  /** Calls that have waiting tasks. */
  waitingCalls(): Set<CallId> {
    const retried = this.retryParts.flatMap(({ tasks }) => tasks.map(({ id }) => callIdOf(id)));
    return new Set([...retried, ...Array.from(this.queue.calls(), ({ id }) => id)]);
  }

  waitingTasksOf(call: CallId): BatchTask[] {
    const retried = this.retryParts.flatMap(({ tasks }) => tasks.filter(({ id }) => callIdOf(id) === call));
    return [...retried, ...this.queue.tasksOf(call)];
  }

  removeCall(call: CallId): BatchTask[] {
    return [...this.#removeFromParts((task) => callIdOf(task.id) === call), ...this.queue.removeCall(call)];
  }

  /** Removes the waiting retries of a call, and returns them as parts. */
  removeCallFromParts(call: CallId): TaskGroup[] {
    const isOfCall = ({ id }: BatchTask) => callIdOf(id) === call;
    const removed = this.retryParts
      .map((part) => ({ ...part, tasks: part.tasks.filter(isOfCall) }))
      .filter(({ tasks }) => tasks.length > 0);
    this.#removeFromParts(isOfCall);
    return removed;
  }

  removeTasks(ids: readonly TaskId[]): void {
    for (const id of ids) this.queue.removeTask(id);
    const removed = new Set(ids);
    this.#removeFromParts((task) => removed.has(task.id));
  }

  get #retryCount(): number {
    let count = 0;
    for (const part of this.retryParts) count += part.tasks.length;
    return count;
  }

  #removeFromParts(isRemoved: (task: BatchTask) => boolean): BatchTask[] {
    if (this.retryParts.length === 0) return [];
    const removed = this.retryParts.flatMap((part) => part.tasks.filter(isRemoved));
    if (removed.length === 0) return removed;
    this.retryParts = this.retryParts
      .map((part) => ({ ...part, tasks: part.tasks.filter((task) => !isRemoved(task)) }))
      .filter((part) => part.tasks.length > 0);
    return removed;
  }
}

/**
 * Tasks that are sent together. Those of a retry stay apart from others, so that a poison image costs no
 * neighbour.
 */
export type TaskGroup = {
  tasks: BatchTask[];
  /** 1 for tasks that are sent for the first time. */
  attempt: number;
  /** They were lost with a worker before, and may have killed it. */
  mayBePoison: boolean;
};

/** Identifies a lane in the scheduler: model, detector and build. */
export const laneKey = (id: LaneId, build: LaneBuild | null): LaneKey =>
  `${id} ${build?.digest ?? "unbuilt"}` as LaneKey;
export type LaneKey = string & { readonly brand: unique symbol };
