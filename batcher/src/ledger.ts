import type { TaskId } from "@faceline/contracts/wire/ids";

/**
 * Which messages of the tasks partition have been dealt with. The offset to commit is the low-water mark: the first
 * message of which a task has not ended, so that whoever reads on from there loses nothing.
 */
export class Ledger {
  /** Offset → tasks of that message that have not ended. */
  readonly #open = new Map<bigint, Set<TaskId>>();
  readonly #offsetOf = new Map<TaskId, bigint>();
  #next: bigint | undefined;

  /**
   * False: it brings nothing new. The message is open already, after a rebalance that left the partition here, or its
   * tasks came with an earlier one: a producer that had to wait for its acknowledgement may have sent them twice.
   */
  read(offset: bigint, tasks: TaskId[]): boolean {
    if (this.#next === undefined || offset >= this.#next) this.#next = offset + 1n;
    const fresh = tasks.filter((task) => !this.#offsetOf.has(task));
    if (fresh.length === 0) return tasks.length === 0;
    this.#open.set(offset, new Set([...(this.#open.get(offset) ?? []), ...fresh]));
    for (const task of fresh) this.#offsetOf.set(task, offset);
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
    if (this.#next === undefined) return undefined;
    // Not the first key: what is read again after a rebalance stands behind what was open all the time.
    return this.#open.keys().reduce((least, offset) => (offset < least ? offset : least), this.#next);
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
