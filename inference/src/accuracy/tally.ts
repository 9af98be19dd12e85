/**
 * Counts verdicts. An embedding is undefined where no face was found: its verdicts are wrong, and it has no distance.
 */
export function tallyOf(comparisons: readonly Comparison[], { of, threshold }: Rule): Tally {
  const same: number[] = [];
  const different: number[] = [];
  let right = 0;
  for (const { one, other, samePerson } of comparisons) {
    if (one === undefined || other === undefined) continue;
    const distance = of(one, other);
    (samePerson ? same : different).push(distance);
    if (distance <= threshold === samePerson) right++;
  }
  return {
    right,
    of: comparisons.length,
    sameMax: same.length === 0 ? null : Math.max(...same),
    differentMin: different.length === 0 ? null : Math.min(...different),
    equalErrorRate: equalErrorRateOf(same, different),
  };
}

/**
 * The share that is wrong on both sides at the threshold where the two are nearest to equal, as their mean. Null where
 * one side is empty.
 */
export function equalErrorRateOf(same: readonly number[], different: readonly number[]): number | null {
  if (same.length === 0 || different.length === 0) return null;
  let best = { apart: Infinity, mean: 1 };
  for (const threshold of new Set([...same, ...different])) {
    const rejected = same.filter((distance) => distance > threshold).length / same.length;
    const accepted = different.filter((distance) => distance <= threshold).length / different.length;
    const [apart, mean] = [Math.abs(rejected - accepted), (rejected + accepted) / 2];
    if (apart < best.apart || (apart === best.apart && mean < best.mean)) best = { apart, mean };
  }
  return best.mean;
}

/** The API's distances, rounded as the API rounds them. */
export const distances = {
  cosine(a: Float32Array, b: Float32Array): number {
    let product = 0;
    for (let i = 0; i < a.length; i++) product += a[i]! * b[i]!;
    return rounded(1 - product / (Math.hypot(...a) * Math.hypot(...b)));
  },
  euclidean(a: Float32Array, b: Float32Array): number {
    let squares = 0;
    for (let i = 0; i < a.length; i++) squares += (a[i]! - b[i]!) ** 2;
    return rounded(Math.sqrt(squares));
  },
};

const rounded = (value: number): number => Number(Math.max(0, value).toFixed(6));

/** Two pictures, what was seen in them, and whether it is one person. */
export type Comparison = {
  one: Float32Array | undefined;
  other: Float32Array | undefined;
  samePerson: boolean;
};

export type Rule = { of: (a: Float32Array, b: Float32Array) => number; threshold: number };

/** `sameMax` and `differentMin` are null where no such pair has a distance; the rate is of found faces alone. */
export type Tally = {
  right: number;
  of: number;
  sameMax: number | null;
  differentMin: number | null;
  equalErrorRate: number | null;
};
