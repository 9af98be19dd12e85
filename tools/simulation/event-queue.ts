// Used by simulation.ts and rebalance-simulation.ts.

/**
 * Future events of a simulation, in the order of time; events of the same instant in the order they were
 * added.
 */
export class EventQueue {
  now: number;
  #addedCount = 0;
  #length = 0;
  // A binary heap of which the first is due next, in columns: an object for each event would be garbage soon.
  #at = new Float64Array(64);
  #order = new Float64Array(64);
  readonly #acts: (() => void)[] = [];

  constructor(now: number) {
    this.now = now;
  }

  at(instant: number, act: () => void): void {
    const order = this.#addedCount++;
    const dueAt = Math.max(instant, this.now);
    let index = this.#length++;
    if (index === this.#at.length) this.#lengthen();
    while (index > 0) {
      const parent = (index - 1) >> 1;
      // Of events of the same instant the new one is the last.
      if (this.#at[parent]! <= dueAt) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#set(index, dueAt, order, act);
  }

  after(ms: number, act: () => void): void {
    this.at(this.now + ms, act);
  }

  runUntil(end: number): void {
    while (this.runNext(end));
    this.now = end;
  }

  /** Runs the next event and returns true, or returns false if none is due until `end`. */
  runNext(end: number): boolean {
    if (this.#length === 0 || this.#at[0]! > end) return false;
    this.now = this.#at[0]!;
    const act = this.#acts[0]!;
    this.#removeFirst();
    act();
    return true;
  }

  #removeFirst(): void {
    const length = --this.#length;
    const at = this.#at[length]!;
    const order = this.#order[length]!;
    const act = this.#acts.pop()!;
    if (length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#isBefore(child + 1, this.#at[child]!, this.#order[child]!)) child++;
      if (!this.#isBefore(child, at, order)) break;
      this.#move(child, index);
      index = child;
    }
    this.#set(index, at, order, act);
  }

  #isBefore(index: number, at: number, order: number): boolean {
    return this.#at[index]! < at || (this.#at[index] === at && this.#order[index]! < order);
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#at[from]!, this.#order[from]!, this.#acts[from]!);
  }

  #set(index: number, at: number, order: number, act: () => void): void {
    this.#at[index] = at;
    this.#order[index] = order;
    this.#acts[index] = act;
  }

  #lengthen(): void {
    const longer = (column: Float64Array) => {
      const copy = new Float64Array(2 * column.length);
      copy.set(column);
      return copy;
    };
    this.#at = longer(this.#at);
    this.#order = longer(this.#order);
  }
}
