// Used by simulation.ts and rebalance-simulation.ts.

/**
 * Future events of a simulation, in the order of time; events of the same instant in the order they were
 * added.
 */
export class EventQueue {
  now: number;
  #addedCount = 0;
  /** A binary heap: the first is due next. */
  readonly #entries: Entry[] = [];

  constructor(now: number) {
    this.now = now;
  }

  at(instant: number, act: () => void): void {
    const entry = { at: Math.max(instant, this.now), order: this.#addedCount++, act };
    let index = this.#entries.push(entry) - 1;
    for (; index > 0; index = (index - 1) >> 1) {
      const parent = this.#entries[(index - 1) >> 1]!;
      if (!dueBefore(entry, parent)) break;
      this.#entries[index] = parent;
    }
    this.#entries[index] = entry;
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
    const next = this.#entries[0];
    if (next === undefined || next.at > end) return false;
    this.#removeFirst();
    this.now = next.at;
    next.act();
    return true;
  }

  #removeFirst(): void {
    const last = this.#entries.pop()!;
    const { length } = this.#entries;
    if (length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= length) break;
      if (child + 1 < length && dueBefore(this.#entries[child + 1]!, this.#entries[child]!)) child++;
      if (!dueBefore(this.#entries[child]!, last)) break;
      this.#entries[index] = this.#entries[child]!;
      index = child;
    }
    this.#entries[index] = last;
  }
}

const dueBefore = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

type Entry = { at: number; order: number; act: () => void };
