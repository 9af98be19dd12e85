// Covered by ./labelled-pairs.test.ts.

/**
 * Distances of labelled pairs of faces, by one model and metric. They are ascending.
 */
export type LabelledDistances = {
  /** Of pairs of pictures of one person. */
  same: number[];
  /** Of pairs of pictures of two people. */
  different: number[];
};

/** What a threshold would do to the labelled pairs. */
type LabelledErrors = {
  /** Pairs of different people that would count as the same person, and of how many. */
  falseMatches: number;
  differentPairs: number;
  /** Pairs of the same person that would count as different people, and of how many. */
  falseNonMatches: number;
  samePairs: number;
};

/** Returns how many labelled pairs a threshold gets wrong. A distance equal to it is the same person. */
export function labelledErrors({ same, different }: LabelledDistances, threshold: number): LabelledErrors {
  return {
    falseMatches: different.filter((distance) => distance <= threshold).length,
    differentPairs: different.length,
    falseNonMatches: same.filter((distance) => distance > threshold).length,
    samePairs: same.length,
  };
}
