import type { FacesByPicture } from "@faceline/inference/testing/largest-face";

/**
 * Counts verdicts. An embedding is undefined where no face was found: its verdicts count as wrong, and it has
 * no distance.
 */
export function tally(comparisons: readonly Comparison[], { distance, threshold }: Rule): Tally {
  const same: number[] = [];
  const different: number[] = [];
  let right = 0;
  for (const { one, other, samePerson } of comparisons) {
    if (one === undefined || other === undefined) continue;
    const apart = distance(one, other);
    (samePerson ? same : different).push(apart);
    if (apart <= threshold === samePerson) right++;
  }
  return {
    right,
    of: comparisons.length,
    sameMax: same.length === 0 ? null : Math.max(...same),
    differentMin: different.length === 0 ? null : Math.min(...different),
    equalErrorRate: equalErrorRate(same, different),
  };
}

/**
 * The equal error rate (EER): the mean of the false rejection and the false acceptance rate at the threshold
 * where they are nearest to each other. Null where one side is empty.
 */
export function equalErrorRate(same: readonly number[], different: readonly number[]): number | null {
  if (same.length === 0 || different.length === 0) return null;
  let best = { gap: Infinity, mean: 1 };
  for (const threshold of new Set([...same, ...different])) {
    const rejected = same.filter((distance) => distance > threshold).length / same.length;
    const accepted = different.filter((distance) => distance <= threshold).length / different.length;
    const [gap, mean] = [Math.abs(rejected - accepted), (rejected + accepted) / 2];
    if (gap < best.gap || (gap === best.gap && mean < best.mean)) best = { gap, mean };
  }
  return best.mean;
}

/**
 * Compares the pairs across two sets of faces, both ways round: left of one with right of the other, and the
 * reverse.
 */
export function pairComparisons(
  pairs: readonly LabelledPair[],
  ones: FacesByPicture,
  others: FacesByPicture,
): Comparison[] {
  return pairs.flatMap(({ left, right, same }) =>
    [
      [left, right],
      [right, left],
    ].map(([a = "", b = ""]) => ({
      one: ones.get(a)?.embedding,
      other: others.get(b)?.embedding,
      samePerson: same,
    })),
  );
}

/** The embeddings of two pictures, and whether both show the same person. */
export type Comparison = {
  one: Float32Array | undefined;
  other: Float32Array | undefined;
  samePerson: boolean;
};

type Rule = { distance: (a: Float32Array, b: Float32Array) => number; threshold: number };

/**
 * `sameMax` and `differentMin` are null where no such pair has a distance; the rate is of found faces alone.
 */
export type Tally = {
  right: number;
  of: number;
  sameMax: number | null;
  differentMin: number | null;
  equalErrorRate: number | null;
};

type LabelledPair = { left: string; right: string; same: boolean };
