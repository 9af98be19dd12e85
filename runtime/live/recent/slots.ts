import type { LiveCount, LiveSeries } from "../state.ts";

/** Length of a slot. */
export const slotMs = 2_000;
/** Five minutes. */
export const slotsMax = 150;

/**
 * Numbers by key over the last five minutes: a ring of slots that needs no timer. Recording costs a look-up
 * and an addition; what is over is cleared when the next slot begins. `now` is in ms, of any one clock.
 *
 * The keys must come from a closed list, or be bounded by `merge`: each takes 1.2 KB for ever.
 */
export class RecentSlots<Key extends string | number> {
  readonly #rings = new Map<Key, Float64Array>();
  /** Number of the latest slot, counted from the origin of the clock. */
  #latest = Number.NEGATIVE_INFINITY;

  add(key: Key, value: number, now: number): void {
    const ring = this.#ring(key);
    const at = this.#indexOf(now);
    ring[at] = ring[at]! + value;
  }

  /** Keeps the largest value of a slot. */
  raise(key: Key, value: number, now: number): void {
    const ring = this.#ring(key);
    const at = this.#indexOf(now);
    if (value > ring[at]!) ring[at] = value;
  }

  /** Returns one number for each complete slot, the oldest first; zeros for an unknown key. */
  series(key: Key, now: number): LiveSeries {
    const first = this.#indexOf(now) + 1;
    const ring = this.#rings.get(key);
    return Array.from({ length: slotsMax - 1 }, (_, i) => ring?.[(first + i) % slotsMax] ?? 0);
  }

  /**
   * Returns the sums of five complete slots, and of all. The slot that has just begun would make every rate
   * look too low.
   */
  count(key: Key, now: number): LiveCount {
    const present = this.#rings.get(key)?.[this.#indexOf(now)] ?? 0;
    return { last10s: this.sum(key, now, 10_000), all: this.sum(key, now, slotsMax * slotMs) + present };
  }

  /** Returns the sum of the complete slots of the last `lengthMs`. */
  sum(key: Key, now: number, lengthMs: number): number {
    const present = this.#indexOf(now) + slotsMax;
    const ring = this.#rings.get(key);
    let total = 0;
    for (let back = Math.min(lengthMs / slotMs, slotsMax - 1); back > 0; back--) {
      total += ring?.[(present - back) % slotsMax] ?? 0;
    }
    return total;
  }

  /** Adds what is recorded of `from` to `into`, and forgets `from`. */
  merge(from: Key, into: Key): void {
    const ring = this.#rings.get(from);
    if (ring === undefined) return;
    const sums = this.#ring(into);
    for (const [at, value] of ring.entries()) sums[at] = sums[at]! + value;
    this.#rings.delete(from);
  }

  keys(): Key[] {
    return [...this.#rings.keys()];
  }

  #ring(key: Key): Float64Array {
    let ring = this.#rings.get(key);
    if (ring === undefined) {
      ring = new Float64Array(slotsMax);
      this.#rings.set(key, ring);
    }
    return ring;
  }

  /** Clears what is over. What came before a slot was over counts for it, however late it is recorded. */
  #indexOf(now: number): number {
    const slot = Math.floor(now / slotMs);
    if (slot > this.#latest) {
      const passed = Math.min(slot - this.#latest, slotsMax);
      for (const ring of this.#rings.values()) {
        for (let back = 0; back < passed; back++) ring[(slot - back) % slotsMax] = 0;
      }
      this.#latest = slot;
    }
    return (this.#latest - slot < slotsMax ? slot : this.#latest) % slotsMax;
  }
}
