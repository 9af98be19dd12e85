import type { Distances } from "./error-curve.ts";

/**
 * Steps that distances are counted in: a ten-thousandth each, and a distance belongs to the first that is not
 * below it. So counts are exact at thresholds of four decimals, as the API rounds and compares. Models whose
 * distances exceed 100 have wider steps: no histogram has more than a million.
 */
export class DistanceSteps {
  readonly count: number;
  readonly perUnit: number;
  /** The API rounds distances to millionths. */
  readonly #millionths: number;

  constructor(distanceMax: number) {
    this.perUnit = 10_000 / 10 ** Math.max(0, Math.ceil(Math.log10(distanceMax)) - 2);
    this.#millionths = 1e6 / this.perUnit;
    this.count = Math.ceil(distanceMax * this.perUnit) + 1;
  }

  stepOf(distance: number): number {
    return Math.min(this.count - 1, Math.ceil(Math.floor(distance * 1e6 + 0.5) / this.#millionths));
  }
}

/** Distances of more pairs than memory holds. Each counts as the upper end of its step. */
export class DistanceHistogram implements Distances {
  readonly length: number;
  readonly #upTo: Float64Array;
  readonly #perUnit: number;

  /** `upTo`: how many distances are not above each step. */
  constructor(upTo: Float64Array, { perUnit }: DistanceSteps) {
    this.length = upTo.at(-1)!;
    this.#upTo = upTo;
    this.#perUnit = perUnit;
  }

  at(rank: number): number | undefined {
    return rank < 0 || rank >= this.length ? undefined : this.stepAt(rank) / this.#perUnit;
  }

  /** The step of the distance with this rank. */
  stepAt(rank: number): number {
    let [low, high] = [0, this.#upTo.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#upTo[middle]! > rank) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Returns how many distances are not above a step. */
  upTo(step: number): number {
    return step < 0 ? 0 : this.#upTo[step]!;
  }

  /** The steps that have distances, ascending, and how many each. */
  *steps(): Generator<{ step: number; count: number }> {
    for (let step = 0; step < this.#upTo.length; step++) {
      const count = this.upTo(step) - this.upTo(step - 1);
      if (count > 0) yield { step, count };
    }
  }
}
