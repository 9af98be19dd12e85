import assert from "node:assert/strict";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { CallId } from "@faceline/contracts/wire/ids";
import { isHeavy } from "./batch-load.ts";

/**
 * A tenant's waiting tasks in one lane, heavy and light ones apart, each with the earliest deadline first.
 */
export class TenantQueue {
  readonly tenant: string;
  readonly light = new DeadlineQueue();
  readonly heavy = new DeadlineQueue();
  /** Weight of all its waiting tasks. */
  waitingWeight = 0;
  /** Virtual time at which its next task is due to be served: see FairQueue. */
  startTag: number;

  constructor(tenant: string, startTag: number) {
    this.tenant = tenant;
    this.startTag = startTag;
  }

  get length(): number {
    return this.light.length + this.heavy.length;
  }

  /** The task with the earliest deadline. */
  get head(): QueuedTask | undefined {
    const [light, heavy] = [this.light.at(0), this.heavy.at(0)];
    if (light === undefined || heavy === undefined) return light ?? heavy;
    return isDueBefore(light, heavy) ? light : heavy;
  }

  add(queued: QueuedTask): void {
    this.#queueOf(queued).add(queued);
    this.waitingWeight += queued.weight;
  }

  /** Number of tasks whose deadline is not after this one. */
  dueBeforeCount(deadlineAt: number): number {
    return this.light.dueBeforeCount(deadlineAt) + this.heavy.dueBeforeCount(deadlineAt);
  }

  remove(queued: QueuedTask): void {
    this.#queueOf(queued).removeTask(queued);
    // Sums of fractions would leave a remainder.
    this.waitingWeight = this.length === 0 ? 0 : this.waitingWeight - queued.weight;
  }

  #queueOf({ task }: QueuedTask): DeadlineQueue {
    return isHeavy(task) ? this.heavy : this.light;
  }
}

/** An array whose first item is removed in constant time, also among thousands. */
export class ArrayQueue<Item> {
  #items: Item[] = [];
  #from = 0;

  get length(): number {
    return this.#items.length - this.#from;
  }

  at(position: number): Item | undefined {
    return position < 0 ? undefined : this.#items[this.#from + position];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  insert(position: number, item: Item): void {
    this.#items.splice(this.#from + position, 0, item);
  }

  remove(position: number): void {
    if (position === 0) this.shift();
    else this.#items.splice(this.#from + position, 1);
  }

  shift(): void {
    this.#from++;
    // The removed front is freed at once when it is as long as the rest.
    if (this.#from < 64 || this.#from < this.length) return;
    this.#items = this.#items.slice(this.#from);
    this.#from = 0;
  }
}

/** Tasks with the earliest deadline first. */
class DeadlineQueue extends ArrayQueue<QueuedTask> {
  add(queued: QueuedTask): void {
    // Most tasks have the same time budget, so the newest usually has the latest deadline.
    const last = this.at(this.length - 1);
    if (last === undefined || isDueBefore(last, queued)) this.push(queued);
    else this.insert(this.#positionOf(queued), queued);
  }

  dueBeforeCount(deadlineAt: number): number {
    return this.#countFromFront((each) => each.task.deadlineAt <= deadlineAt);
  }

  removeTask(queued: QueuedTask): void {
    const position = this.at(0) === queued ? 0 : this.#positionOf(queued);
    assert(this.at(position) === queued, "a task was removed that does not wait");
    this.remove(position);
  }

  #positionOf(queued: QueuedTask): number {
    return this.#countFromFront((each) => isDueBefore(each, queued));
  }

  /** Binary search: `holds` is true for the tasks up to some position and false for all after it. */
  #countFromFront(holds: (each: QueuedTask) => boolean): number {
    let [from, to] = [0, this.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (holds(this.at(middle)!)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Order of deadlines, and of arrival if deadlines are equal. */
export const isDueBefore = (a: QueuedTask, b: QueuedTask): boolean =>
  a.task.deadlineAt < b.task.deadlineAt || (a.task.deadlineAt === b.task.deadlineAt && a.order < b.order);

export type QueuedTask = {
  readonly task: BatchTask;
  readonly tenant: TenantQueue;
  readonly call: QueuedCall;
  readonly queuedAt: number;
  /** Price for its tenant: the time of a worker that it takes, in light tasks; at least 1. */
  readonly weight: number;
  /** Counts the tasks of the lane in the order of arrival. */
  readonly order: number;
  /** It does not wait any more. */
  removed: boolean;
};

export type QueuedCall = {
  readonly id: CallId;
  readonly waiting: QueuedTask[];
  /** A task of its request was sent already: dropping the others would waste that work. */
  started: boolean;
};
