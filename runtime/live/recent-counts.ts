/**
 * Counts by key over the last five minutes, in slots of 5 s and without a timer. Memory is bounded: a slot
 * has at most `keysMax` keys, and counts further ones as `~others`. `now` is in epoch ms.
 */
export class RecentCounts<Key extends string = string> {
  readonly #keysMax: number;
  /** Slots in which something was counted, the oldest first. */
  readonly #slots: { startsAt: number; counts: Map<Key | typeof otherKeys, number> }[] = [];

  constructor(keysMax = 100) {
    this.#keysMax = keysMax;
  }

  add(key: Key, value: number, now: number): void {
    this.#change(key, now, (count) => count + value);
  }

  /** Keeps the largest value of a slot. */
  raise(key: Key, value: number, now: number): void {
    this.#change(key, now, (count) => Math.max(count, value));
  }

  sum(key: Key | typeof otherKeys, span: TimeSpan): number {
    return this.#values(key, span).reduce((total, value) => total + value, 0);
  }

  /** Returns the largest value of a slot; 0 if there is none. */
  most(key: Key, span: TimeSpan): number {
    return Math.max(0, ...this.#values(key, span));
  }

  /** Returns the sum of each key that has one. */
  sums({ from, until }: TimeSpan): Map<Key | typeof otherKeys, number> {
    const sums = new Map<Key | typeof otherKeys, number>();
    for (const { startsAt, counts } of this.#slots) {
      if (startsAt < from || startsAt >= until) continue;
      for (const [key, count] of counts) sums.set(key, (sums.get(key) ?? 0) + count);
    }
    return sums;
  }

  #values(key: Key | typeof otherKeys, { from, until }: TimeSpan): number[] {
    return this.#slots
      .filter(({ startsAt }) => startsAt >= from && startsAt < until)
      .map(({ counts }) => counts.get(key) ?? 0);
  }

  /** If clocks were corrected, an instant before the latest slot counts for that slot. */
  #change(key: Key, now: number, change: (count: number) => number): void {
    const startsAt = slotOf(now);
    if (startsAt > (this.#slots.at(-1)?.startsAt ?? -Infinity)) {
      this.#slots.push({ startsAt, counts: new Map() });
      while (this.#slots[0]!.startsAt < startsAt - keptMs) this.#slots.shift();
    }
    const { counts } = this.#slots.at(-1)!;
    const known = counts.has(key) || counts.size < this.#keysMax ? key : otherKeys;
    counts.set(known, change(counts.get(known) ?? 0));
  }
}

/** Key for all keys for which a slot had no room. */
export const otherKeys = "~others";

/** The last 10 s that are complete: a slot that has just begun would make every rate look too low. */
export const past10s = (now: number): TimeSpan => ({ from: slotOf(now) - 10_000, until: slotOf(now) });

/** The last five minutes, up to now. */
export const past5min = (now: number): TimeSpan => ({ from: slotOf(now) - keptMs, until: Infinity });

/** Returns the minute of `now` and the four before it, the latest first, with their times in UTC. */
export const lastMinutes = (now: number): (TimeSpan & { minute: string })[] =>
  [0, 1, 2, 3, 4].map((back) => {
    const from = (Math.floor(now / 60_000) - back) * 60_000;
    return { minute: new Date(from).toISOString().slice(11, 16), from, until: from + 60_000 };
  });

const slotMs = 5_000;
const keptMs = 300_000;
const slotOf = (now: number): number => Math.floor(now / slotMs) * slotMs;

/** Slots that begin from `from` on and before `until`, in epoch ms. */
export type TimeSpan = { from: number; until: number };
