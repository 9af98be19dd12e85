/**
 * The errors of every threshold on pairs of known people. A distance that is not greater than the threshold
 * is a match, as in the API.
 */
export class ErrorCurve {
  readonly same: Distances;
  readonly different: Distances;

  constructor(source: readonly DistancePair[] | { same: Distances; different: Distances }) {
    ({ same: this.same, different: this.different } = "same" in source ? source : sortedDistances(source));
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

  /** The largest distance of any pair that is less than `limit`; undefined if there is none. */
  distanceBelow(limit: number): number | undefined {
    const below = [this.same, this.different].flatMap((distances) => {
      const count = firstRank(distances, (each) => each >= limit);
      return count === 0 ? [] : [distances.at(count - 1)!];
    });
    return below.length === 0 ? undefined : Math.max(...below);
  }
}

function sortedDistances(pairs: readonly DistancePair[]) {
  const distancesOf = (same: boolean) =>
    Float64Array.from(pairs.filter((pair) => pair.same === same).map(({ distance }) => distance)).toSorted();
  return { same: distancesOf(true), different: distancesOf(false) };
}

/**
 * The mean of FMR and FNMR at the threshold where they are nearest to each other, and that threshold: the
 * middle of where both stay as they are.
 */
export function equalError(curve: ErrorCurve): { rate: number; threshold: number } {
  const kinds = [curve.same, curve.different];
  const gapAt = (threshold: number) => {
    const { fmr, fnmr } = curve.rates(threshold);
    return fmr - fnmr;
  };
  // The gap grows with the threshold, so there is one distance from which on it is not negative.
  const crossing = Math.min(
    ...kinds.map((distances) => distances.at(firstRank(distances, (each) => gapAt(each) >= 0)) ?? Infinity),
  );
  const before = curve.distanceBelow(crossing);
  const distance = before !== undefined && -gapAt(before) <= gapAt(crossing) ? before : crossing;
  const next = Math.min(
    ...kinds.map((distances) => distances.at(countUpTo(distances, distance)) ?? Infinity),
  );
  const { fmr, fnmr } = curve.rates(distance);
  return { rate: (fmr + fnmr) / 2, threshold: (distance + (next === Infinity ? distance : next)) / 2 };
}

/** How many of the ascending values are at most `limit`. */
export const countUpTo = (values: Distances, limit: number): number =>
  firstRank(values, (value) => value > limit);

/** The rank of the first value that `holds` for, as it does for all after it; the length without any. */
export function firstRank(values: Distances, holds: (value: number) => boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(values.at(middle)!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export type DistancePair = { distance: number; same: boolean };

/** Distances in ascending order, by rank from 0 on: an array, or a histogram of more than memory holds. */
export type Distances = { readonly length: number; at(rank: number): number | undefined };
