import type { PairCounts } from "./all-pairs.ts";
import type { Analysis } from "./analysis.ts";
import type { ClusterSums } from "./cluster-sums.ts";
import { DistanceHistogram } from "./distance-histogram.ts";
import { ErrorCurve, equalError } from "./error-curve.ts";
import { errorsToMeasure, RateEvidence } from "./rate-evidence.ts";

/**
 * Everything that is said of one metric over all pairs of people. As `analyse`, with variances from sums over
 * people instead of drawn people. `people` have images with a face.
 */
export function analyseAll(counts: PairCounts, people: number): Analysis {
  const same = new DistanceHistogram(counts.same.upTo, counts.steps);
  const different = new DistanceHistogram(counts.different.upTo, counts.steps);
  const matchSteps = errorsToMeasure(different.length).map((errors) => different.stepAt(errors - 1));
  const matches = matchSteps.map((step) => ({
    errors: different.upTo(step),
    variance: counts.different.variance(step),
  }));
  const curve = new ErrorCurve({ same, different });
  const { auc, dPrime } = separationOf(same, different);
  return {
    curve,
    // Every two people were compared, so half of them share nobody.
    fmr: new RateEvidence(different.length, { pairs: Math.floor(people / 2), people }, matches),
    fnmr: nonMatchEvidence(counts.same, same),
    fnmrWithFailures: nonMatchEvidence(counts.sameWithFailures, same),
    auc: { value: auc, interval: undefined },
    dPrime: { value: dPrime, interval: undefined },
    equalError: equalError(curve),
  };
}

/** Pairs of `sums` that have no distance err at every threshold. */
function nonMatchEvidence(sums: ClusterSums, distances: DistanceHistogram): RateEvidence {
  const observations = errorsToMeasure(sums.pairs)
    .filter((errors) => errors > sums.pairs - distances.length)
    .map((errors) => distances.stepAt(sums.pairs - errors - 1))
    .map((step) => ({ errors: sums.pairs - distances.upTo(step), variance: sums.variance(step) }));
  return new RateEvidence(sums.pairs, { pairs: sums.effectiveClusters, people: sums.clusters }, observations);
}

/**
 * The area under the ROC curve, where distances of one step count half, and d', the distance of the two means
 * over the root mean square of the two standard deviations.
 */
function separationOf(same: DistanceHistogram, different: DistanceHistogram) {
  let inOrder = 0;
  for (const { step, count } of different.steps()) {
    inOrder += (count * (same.upTo(step) + same.upTo(step - 1))) / 2;
  }
  const [one, two] = [momentsOf(same), momentsOf(different)];
  return {
    auc: inOrder / (same.length * different.length),
    dPrime: (two.mean - one.mean) / Math.sqrt((one.variance + two.variance) / 2),
  };
}

/** Mean and variance in steps. */
function momentsOf(distances: DistanceHistogram): { mean: number; variance: number } {
  let [sum, squares] = [0, 0];
  for (const { step, count } of distances.steps()) {
    sum += count * step;
    squares += count * step * step;
  }
  const mean = sum / distances.length;
  return { mean, variance: squares / distances.length - mean * mean };
}
