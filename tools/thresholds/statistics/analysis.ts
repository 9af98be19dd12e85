import type { Interval } from "./binomial.ts";
import { ErrorCurve, equalError } from "./error-curve.ts";
import { independentDifferent, independentSame } from "./independent-pairs.ts";
import { type PersonPair, percentileInterval, personBootstrap, separationOf } from "./person-bootstrap.ts";
import { errorsToMeasure, RateEvidence, varianceOf } from "./rate-evidence.ts";

/**
 * Everything that is said of one metric over labelled pairs. `lost` are pairs of one person that have a
 * image without a face. Throws a RangeError without both kinds of pairs.
 */
export function analyse(pairs: readonly PersonPair[], { lost, ...options }: AnalysisOptions): Analysis {
  const analysis = ratesOf(pairs, options);
  if (lost.length === 0) return analysis;
  const { fnmr } = ratesOf([...pairs, ...lost.map((pair) => ({ ...pair, distance: Infinity }))], options);
  return { ...analysis, fnmrWithFailures: fnmr };
}

function ratesOf(
  pairs: readonly PersonPair[],
  { resamples, random }: Omit<AnalysisOptions, "lost">,
): Analysis {
  const curve = new ErrorCurve(pairs);
  const { same, different } = curve;
  const matchesAt = errorsToMeasure(different.length).map((errors) => different.at(errors - 1)!);
  const nonMatchesAt = errorsToMeasure(same.length).map((errors) => same.at(same.length - errors - 1)!);
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
  const fnmr = new RateEvidence(same.length, independentSame(pairs), nonMatches);
  return {
    curve,
    fmr: new RateEvidence(different.length, independentDifferent(pairs), matches),
    fnmr,
    fnmrWithFailures: fnmr,
    auc: { value: auc, interval: percentileInterval(samples.auc) },
    dPrime: { value: dPrime, interval: percentileInterval(samples.dPrime) },
    equalError: equalError(curve),
  };
}

type AnalysisOptions = { lost: readonly PersonPair[]; resamples: number; random: () => number };

/** Undefined intervals: too few people for resamples, or none were drawn. */
type Estimate = { value: number; interval: Interval | undefined };

export type Analysis = {
  curve: ErrorCurve;
  fmr: RateEvidence;
  fnmr: RateEvidence;
  /** Evidence with failures to enrol: a pair that has an image without a face errs at every threshold. */
  fnmrWithFailures: RateEvidence;
  /** Area under the ROC curve. */
  auc: Estimate;
  dPrime: Estimate;
  equalError: { rate: number; threshold: number };
};

/** Pairs of one person that do not match at a threshold, with those that have an image without a face. */
export const nonMatchesWithFailures = (
  { curve, fnmr, fnmrWithFailures }: Analysis,
  threshold: number,
): number => curve.falseNonMatches(threshold) + fnmrWithFailures.pairs - fnmr.pairs;
