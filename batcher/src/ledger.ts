import type { TaskId } from "@faceline/contracts/ids";

/**
 * Which messages of the tasks partition have been dealt with. The offset to commit is the low-water mark: the first
 * message of which a task has not ended, so that whoever reads on from there loses nothing.
 */
export class Ledger {
  /** Offset → tasks of that message that have not ended. In the order of the offsets, as Kafka delivers them. */
  readonly #open = new Map<bigint, Set<TaskId>>();
  readonly #offsetOf = new Map<TaskId, bigint>();
  #next: bigint | undefined;

  /** False: the message is open already, after a rebalance that left the partition here. */
  read(offset: bigint, tasks: TaskId[]): boolean {
    if (this.#open.has(offset)) return false;
    if (this.#next === undefined || offset >= this.#next) this.#next = offset + 1n;
    if (tasks.length === 0) return true;
    this.#open.set(offset, new Set(tasks));
    for (const task of tasks) this.#offsetOf.set(task, offset);
    return true;
  }

  ended(tasks: TaskId[]): void {
    for (const task of tasks) {
      const offset = this.#offsetOf.get(task);
      if (offset === undefined) continue;
      this.#offsetOf.delete(task);
      const left = this.#open.get(offset);
      left?.delete(task);
      if (left?.size === 0) this.#open.delete(offset);
    }
  }

  /** The offset to read on from; undefined while nothing was read. */
  get lowWater(): bigint | undefined {
    return this.#open.keys().next().value ?? this.#next;
  }

  get openTasks(): number {
    return this.#offsetOf.size;
  }

  clear(): void {
    this.#open.clear();
    this.#offsetOf.clear();
    this.#next = undefined;
  }
}
