/** Numbers that look random and are the same for the same seed: a simulation can be played again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1);
  }

  /** From 0 to below 1. Mulberry32: 32 bits of state, good enough to play with. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)]!;
  }

  /** The time to the next of events that come independently, `mean` apart. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** The sum of twelve: close enough to the bell, and never further than six deviations. */
  normal(mean: number, deviation: number): number {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += this.next();
    return mean + deviation * sum;
  }

  /** A source of its own: what one part draws does not move the others. */
  branch(): Random {
    return new Random(this.below(2 ** 31));
  }
}
