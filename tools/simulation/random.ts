import { mulberry32 } from "@faceline/contracts/testing/mulberry32";

/** Pseudo-random numbers, the same for the same seed, so that a simulation can be replayed. */
export class Random {
  /** A number from 0 to below 1. */
  readonly next: () => number;

  constructor(seed: number) {
    // Neighbouring seeds begin far from each other.
    this.next = mulberry32(Math.imul(seed + 1, 0x9e3779b1));
  }

  /** A whole number from 0 to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)]!;
  }

  /** Exponentially distributed: the time between independent events that come `mean` apart on average. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** About normally distributed (the sum of twelve uniform numbers), never further than six deviations. */
  normal(mean: number, deviation: number): number {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += this.next();
    return mean + deviation * sum;
  }

  /** Returns an independent source: what one part draws does not change the numbers of another. */
  branch(): Random {
    return new Random(this.below(2 ** 31));
  }
}
