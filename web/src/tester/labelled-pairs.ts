/**
 * Distances of labelled pairs of faces, by one model and metric. They are ascending.
 */
export type LabelledDistances = {
  /** Distances of pairs of one person. */
  same: number[];
  /** Distances of pairs of two people. */
  different: number[];
};

/** Errors of a threshold on the labelled pairs. */
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

/**
 * Returns the distances by a metric. Those by euclidean_l2 follow from those by cosine: of vectors of length
 * 1, the squared Euclidean distance is twice the cosine distance.
 */
export function labelledBy(
  metric: string,
  pairs: Record<string, LabelledDistances | undefined> | null | undefined,
): LabelledDistances | undefined {
  const cosine = pairs?.["cosine"];
  if (metric !== "euclidean_l2" || cosine === undefined) return pairs?.[metric];
  const converted = (distances: number[]): number[] => distances.map((distance) => Math.sqrt(2 * distance));
  return { same: converted(cosine.same), different: converted(cosine.different) };
}
