import type { TaskId } from "@faceline/contracts/wire/ids";

/**
 * Tasks of the tasks partition that have not ended. The offset to commit is the low-water mark: the first
 * message with a task that has not ended, so that a batcher that reads on from there loses none.
 */
export class Ledger {
  /** Offset → tasks of that message that have not ended. */
  readonly #open = new Map<bigint, Set<TaskId>>();
  readonly #offsetOf = new Map<TaskId, bigint>();
  #nextOffset: bigint | undefined;

  /**
   * Records a message and returns whether it brings new tasks. It does not if the message is open already,
   * after a rebalance that left the partition here, or if its tasks came with an earlier message: a producer
   * that had to wait for its acknowledgement may have sent them twice.
   */
  record(offset: bigint, tasks: TaskId[]): boolean {
    if (this.#nextOffset === undefined || offset >= this.#nextOffset) this.#nextOffset = offset + 1n;
    const fresh = tasks.filter((task) => !this.#offsetOf.has(task));
    if (fresh.length === 0) return tasks.length === 0;
    this.#open.set(offset, new Set([...(this.#open.get(offset) ?? []), ...fresh]));
    for (const task of fresh) this.#offsetOf.set(task, offset);
    return true;
  }

  end(tasks: TaskId[]): void {
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
    if (this.#nextOffset === undefined) return undefined;
    // Not the first key: a message that is read again after a rebalance stands behind those that stayed open.
    return this.#open.keys().reduce((least, offset) => (offset < least ? offset : least), this.#nextOffset);
  }

  clear(): void {
    this.#open.clear();
    this.#offsetOf.clear();
    this.#nextOffset = undefined;
  }
}
