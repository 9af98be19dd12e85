/**
 * The errors of every threshold on labelled pairs. A distance that is not greater than the threshold is a
 * match, as in the API.
 */
export class ErrorCurve {
  /** Ascending. */
  readonly same: Float64Array;
  /** Ascending. */
  readonly different: Float64Array;

  constructor(pairs: readonly DistancePair[]) {
    const distancesOf = (same: boolean) =>
      Float64Array.from(
        pairs.filter((pair) => pair.same === same).map(({ distance }) => distance),
      ).toSorted();
    this.same = distancesOf(true);
    this.different = distancesOf(false);
  }

  /** Pairs of different people that match: the numerator of the false match rate (FMR). */
  falseMatches(threshold: number): number {
    return countUpTo(this.different, threshold);
  }

  /** Pairs of one person that do not match: the numerator of the false non-match rate (FNMR). */
  falseNonMatches(threshold: number): number {
    return this.same.length - countUpTo(this.same, threshold);
  }

  /** Both rates, 0 to 1. */
  rates(threshold: number): { fmr: number; fnmr: number } {
    return {
      fmr: this.falseMatches(threshold) / this.different.length,
      fnmr: this.falseNonMatches(threshold) / this.same.length,
    };
  }

  /**
   * Thresholds, ascending and about `count` at most: the smallest and the largest distance, and evenly by
   * rank of each kind between them, so that no step of a rate is larger than two in `count`.
   */
  thresholds(count: number): number[] {
    const chosen = [this.same, this.different].flatMap((distances) => {
      const steps = Math.min(distances.length, Math.ceil(count / 2));
      return Array.from(
        { length: steps },
        (_, i) => distances[Math.round((i * (distances.length - 1)) / Math.max(1, steps - 1))]!,
      );
    });
    return [...new Set(chosen)].toSorted((a, b) => a - b);
  }
}

/**
 * The mean of FMR and FNMR at the threshold where they are nearest to each other, and that threshold: the
 * middle of where both stay as they are.
 */
export function equalError(curve: ErrorCurve): { rate: number; threshold: number } {
  const distances = [...new Set([...curve.same, ...curve.different])].toSorted((a, b) => a - b);
  let best = { gap: Number.POSITIVE_INFINITY, rate: 1, threshold: 0 };
  for (const [index, distance] of distances.entries()) {
    const { fmr, fnmr } = curve.rates(distance);
    const gap = Math.abs(fmr - fnmr);
    const next = distances[index + 1] ?? distance;
    if (gap < best.gap) best = { gap, rate: (fmr + fnmr) / 2, threshold: (distance + next) / 2 };
  }
  return { rate: best.rate, threshold: best.threshold };
}

/** How many of the ascending values are at most `limit`. */
export function countUpTo(values: Float64Array, limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export type DistancePair = { distance: number; same: boolean };
