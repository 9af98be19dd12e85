import { trialsToShow } from "./binomial.ts";
import type { ErrorCurve } from "./error-curve.ts";
import type { RateEvidence } from "./rate-evidence.ts";

/**
 * Proposes the largest threshold, in four decimals, at which the false match rate is not above `wanted` with
 * a confidence of 95%. A lower one would give no fewer false non-matches. Refuses where the pairs cannot
 * show this, even with no false match among them.
 *
 * The threshold is put right below a distance of two different people, so it depends on these pairs. The
 * bound holds nevertheless: below the k-th smallest of n independent distances, the share of all distances
 * has the beta distribution that Clopper and Pearson's bound for k - 1 errors is made of.
 */
export function proposeThreshold(curve: ErrorCurve, evidence: RateEvidence, wanted: number): Proposal {
  let proposed: Proposal | undefined;
  let least = 1;
  for (const errors of errorCounts(curve.different.length)) {
    const threshold = fourDecimalsBelow(curve.different.at(errors)!);
    if (threshold <= 0) continue;
    const matches = curve.falseMatches(threshold);
    // The bound is above the rate itself.
    if (proposed !== undefined && matches / evidence.pairs > wanted) break;
    const bound = evidence.bound(matches);
    least = Math.min(least, bound);
    if (bound <= wanted) proposed = { kind: "proposed", wanted, threshold, bound };
  }
  if (proposed !== undefined) return proposed;
  const pairsNeeded = trialsToShow(wanted);
  const growth = pairsNeeded / evidence.independentPairs(0);
  return { kind: "refused", wanted, least, pairsNeeded, peopleNeeded: Math.ceil(evidence.people * growth) };
}

/** Each up to 100, then in steps of 2%; ascending. */
function errorCounts(pairs: number): number[] {
  const counts: number[] = [];
  for (let count = 0; count < pairs; count = Math.max(count + 1, Math.floor(count * 1.02)))
    counts.push(count);
  return counts;
}

/** The largest number with four decimals that is less than `distance`. */
function fourDecimalsBelow(distance: number): number {
  const steps = Math.ceil(Number((distance * 10_000).toFixed(6))) - 1;
  return steps / 10_000;
}

export type Proposal =
  /** `bound`: what the false match rate is not above. */
  | { kind: "proposed"; wanted: number; threshold: number; bound: number }
  /**
   * `least`: the smallest rate that the pairs can show. `pairsNeeded` are independent pairs of different
   * people; people as alike as these, in as many pairs each, must be about `peopleNeeded`.
   */
  | { kind: "refused"; wanted: number; least: number; pairsNeeded: number; peopleNeeded: number };
