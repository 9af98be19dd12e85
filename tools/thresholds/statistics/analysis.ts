import type { Interval } from "./binomial.ts";
import { ErrorCurve, equalError } from "./error-curve.ts";
import { independentDifferent, independentSame } from "./independent-pairs.ts";
import { type PersonPair, percentileInterval, personBootstrap, separationOf } from "./person-bootstrap.ts";
import { errorsToMeasure, RateEvidence, varianceOf } from "./rate-evidence.ts";

/**
 * Everything that is said of one metric over labelled pairs. Throws a RangeError without both kinds of pairs.
 */
export function analyse(pairs: readonly PersonPair[], { resamples, random }: AnalysisOptions): Analysis {
  const curve = new ErrorCurve(pairs);
  const { same, different } = curve;
  const matchesAt = errorsToMeasure(different.length).map((errors) => different[errors - 1]!);
  const nonMatchesAt = errorsToMeasure(same.length).map((errors) => same[same.length - errors - 1]!);
  const thresholds = [...new Set([...matchesAt, ...nonMatchesAt])].toSorted((a, b) => a - b);
  const samples = personBootstrap(pairs, { thresholds, resamples, random });
  const observations = (rates: readonly Float64Array[], errors: (threshold: number) => number) =>
    thresholds.map((threshold, index) => ({
      errors: errors(threshold),
      variance: varianceOf(rates.map((each) => each[index]!)),
    }));
  const matches = observations(samples.fmr, (threshold) => curve.falseMatches(threshold));
  const nonMatches = observations(samples.fnmr, (threshold) => curve.falseNonMatches(threshold));
  const { auc, dPrime } = separationOf(pairs);
  return {
    curve,
    fmr: new RateEvidence(different.length, independentDifferent(pairs), matches),
    fnmr: new RateEvidence(same.length, independentSame(pairs), nonMatches),
    auc: { value: auc, interval: percentileInterval(samples.auc) },
    dPrime: { value: dPrime, interval: percentileInterval(samples.dPrime) },
    equalError: equalError(curve),
  };
}

type AnalysisOptions = { resamples: number; random: () => number };

/** Undefined intervals: too few people for resamples. */
type Estimate = { value: number; interval: Interval | undefined };

export type Analysis = {
  curve: ErrorCurve;
  fmr: RateEvidence;
  fnmr: RateEvidence;
  /** Area under the ROC curve. */
  auc: Estimate;
  dPrime: Estimate;
  equalError: { rate: number; threshold: number };
};
