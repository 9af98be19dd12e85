import type { BatchTask } from "@faceline/contracts/wire/batch";
import { type CallId, callIdOf, type TaskId } from "@faceline/contracts/wire/ids";
import { FairQueue } from "./fair-queue.ts";

/**
 * The tasks of one service class that wait in a lane.
 *
 *     arrive ──► [ queue: tenants in turns, earliest deadline first within one ] ──► a batch
 *     a batch that was lost or failed ──► [ retryParts: first, never mixed with others ] ──► a batch
 */
export class WaitingTasks {
  readonly queue = new FairQueue();
  retryParts: TaskGroup[] = [];

  get count(): number {
    let count = this.queue.waitingCount;
    for (const part of this.retryParts) count += part.tasks.length;
    return count;
  }

  /** Number of tasks that go before a task of this deadline: those due earlier, and every retry. */
  dueBeforeCount(deadlineAt: number): number {
    let due = this.queue.dueBeforeCount(deadlineAt);
    for (const part of this.retryParts) due += part.tasks.length;
    return due;
  }

  /** The earliest deadline; infinity if nothing waits. */
  get earliestDeadlineAt(): number {
    let earliest = this.queue.head?.task.deadlineAt ?? Number.POSITIVE_INFINITY;
    for (const part of this.retryParts)
      for (const task of part.tasks) earliest = Math.min(earliest, task.deadlineAt);
    return earliest;
  }

  /** Takes at most `countMax` tasks of the first retry part. */
  dequeueRetry(countMax: number): TaskGroup {
    const part = this.retryParts[0]!;
    const tasks = part.tasks.splice(0, countMax);
    if (part.tasks.length === 0) this.retryParts.shift();
    return { ...part, tasks };
  }

  /** Calls that have waiting tasks. */
  calls(): Set<CallId> {
    const retried = this.retryParts.flatMap(({ tasks }) => tasks.map(({ id }) => callIdOf(id)));
    return new Set([...retried, ...Array.from(this.queue.calls(), ({ id }) => id)]);
  }

  tasksOf(call: CallId): BatchTask[] {
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
