import { type Count, clopperPearson, fewClustersFactor, type Interval, upperBound } from "./binomial.ts";
import type { IndependentPairs } from "./independent-pairs.ts";

/**
 * Evidence of labelled pairs for one error rate. Errors are counted over all pairs, but weighed as those of
 * fewer independent pairs: so many that a rate would vary as much as in the bootstrap over people. The
 * interval of that count is Clopper and Pearson's (the interval of Korn and Graubard, 1998, for clustered
 * samples).
 *
 * Below 30 errors the bootstrap itself is not reliable, so what a pair counts there is taken from the
 * threshold with 30 errors: pairs that err rarely depend on each other less. Where no threshold has 30 errors
 * and as many pairs that are right, the pairs count as the independent ones that are surely among them.
 */
export class RateEvidence {
  readonly pairs: number;
  readonly people: number;
  readonly #least: number;
  /** Ascending by errors. */
  readonly #measured: readonly { errors: number; independent: number }[];

  constructor(pairs: number, least: IndependentPairs, observations: readonly Observation[]) {
    this.pairs = pairs;
    this.people = least.people;
    this.#least = Math.min(pairs, least.pairs);
    const factor = fewClustersFactor(least.people);
    this.#measured = observations
      .filter(({ errors, variance }) => isReliable(errors, pairs) && variance > 0)
      .map(({ errors, variance }) => {
        const rate = errors / pairs;
        const independent = ((rate * (1 - rate)) / variance) * factor;
        return { errors, independent: Math.min(pairs, Math.max(this.#least, independent)) };
      })
      .toSorted((a, b) => a.errors - b.errors);
  }

  /** How many independent pairs all pairs count as, at a threshold with so many errors. */
  independentPairs(errors: number): number {
    const next = this.#measured.find((each) => each.errors >= errors) ?? this.#measured.at(-1);
    return next?.independent ?? this.#least;
  }

  /** The rate is in it with a confidence of 95%. */
  interval(errors: number): Interval {
    return clopperPearson(this.#count(errors));
  }

  /** The rate is not above it, with a confidence of 95% on this side. */
  bound(errors: number): number {
    return upperBound(this.#count(errors));
  }

  #count(errors: number): Count {
    const trials = this.independentPairs(errors);
    return { errors: (errors / this.pairs) * trials, trials };
  }
}

/** The numbers of errors at which the variance should be measured: 30, then in steps of a sixth, to half. */
export function errorsToMeasure(pairs: number): number[] {
  const counts: number[] = [];
  for (let errors = reliableErrorsMin; isReliable(errors, pairs); errors = Math.ceil(errors * (7 / 6))) {
    counts.push(errors);
  }
  return counts;
}

/** The mean of squares of the distances from the mean. */
export function varianceOf(values: readonly number[]): number {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  return values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / values.length;
}

/** Doddington's "rule of 30" (1998): with fewer errors a rate is known too badly. */
const reliableErrorsMin = 30;
const isReliable = (errors: number, pairs: number): boolean =>
  errors >= reliableErrorsMin && errors <= pairs - reliableErrorsMin && errors <= pairs / 2 + 1;

/** The variance of the rate over resamples, at a threshold with so many errors. */
type Observation = { errors: number; variance: number };
