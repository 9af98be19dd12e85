import { type Analysis, nonMatchesWithFailures } from "./analysis.ts";
import type { Interval } from "./binomial.ts";
import { firstRank } from "./error-curve.ts";

/**
 * The false non-match rate at a false match rate, as papers and evaluations state it: at the largest distance
 * where the measured FMR is not above `wanted`. Undefined if that is below every pair of two people.
 *
 * The interval is that of the FNMR where the true FMR is `wanted`. It begins with that of a threshold whose
 * FMR is surely not less, and ends with that of one whose FMR is surely not more, each with a confidence of
 * 97.5%; without such a threshold it is open on this side.
 */
export function operatingPoint(analysis: Analysis, wanted: number): OperatingPoint | undefined {
  const { curve, fmr, fnmr, fnmrWithFailures } = analysis;
  const { different } = curve;
  // A product such as 0.29 * 100 may be below the whole number.
  const matchesMax = Math.floor(wanted * fmr.pairs + 1e-6);
  const threshold = matchesMax === 0 ? undefined : curve.distanceBelow(different.at(matchesMax)!);
  if (threshold === undefined) return undefined;
  const intervalAt = (distance: number) => fmr.interval(curve.falseMatches(distance));
  const tooMany = different.at(firstRank(different, (each) => intervalAt(each).high > wanted))!;
  const surelyLess = fmr.interval(0).high > wanted ? undefined : curve.distanceBelow(tooMany);
  const surelyMore = different.at(firstRank(different, (each) => intervalAt(each).low >= wanted));
  const fnmrIntervalAt = (distance: number) =>
    fnmrWithFailures.interval(nonMatchesWithFailures(analysis, distance));
  return {
    threshold,
    fmr: curve.falseMatches(threshold) / fmr.pairs,
    fnmr: {
      rate: nonMatchesWithFailures(analysis, threshold) / fnmrWithFailures.pairs,
      interval: {
        low: surelyMore === undefined ? 0 : fnmrIntervalAt(surelyMore).low,
        high: surelyLess === undefined ? 1 : fnmrIntervalAt(surelyLess).high,
      },
    },
    fnmrWithoutFailures: curve.falseNonMatches(threshold) / fnmr.pairs,
  };
}

export type OperatingPoint = {
  threshold: number;
  /** Rate at the threshold, as measured. */
  fmr: number;
  /** A pair of one person with an image without a face does not match. */
  fnmr: { rate: number; interval: Interval };
  /** Rate of pairs that have a face in both images. */
  fnmrWithoutFailures: number;
};
