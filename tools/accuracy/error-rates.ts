import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import type { ErrorRates, Rate } from "@faceline/contracts/http/model-card";
import { analyse } from "@faceline/thresholds/statistics/analysis";
import { countUpTo, type Distances } from "@faceline/thresholds/statistics/error-curve";
import {
  type PersonPair,
  percentileInterval,
  personBootstrap,
} from "@faceline/thresholds/statistics/person-bootstrap";

/**
 * Error rates of pairs with a face in both images, with 95% intervals over people: at the model's own
 * threshold, and at the largest ones with an FMR of at most 1 and 0.1%. Null without both kinds of pairs.
 */
export function errorRates(pairs: readonly PersonPair[], threshold: number): ErrorRates | null {
  if (!pairs.some(({ same }) => same) || pairs.every(({ same }) => same)) return null;
  const { curve, fmr, fnmr } = analyse(pairs, { lost: [], resamples, random: mulberry32(1) });
  const [falseMatches, falseNonMatches] = [curve.falseMatches(threshold), curve.falseNonMatches(threshold)];
  const fnmrOfSamples = fnmrOfResamples(pairs, curve.different);
  const atFmr = (fixedFmr: number): Rate => {
    const limit = justBelow(curve.different.at(Math.floor(fixedFmr * curve.different.length))!);
    const misses = curve.falseNonMatches(limit);
    const [fixed, moved] = [fnmr.interval(misses), fnmrOfSamples(fixedFmr)];
    const [low, high] = [Math.min(fixed.low, moved.low), Math.max(fixed.high, moved.high)];
    return rate(misses, curve.same.length, { low, high });
  };
  return {
    pairs_same: curve.same.length,
    pairs_different: curve.different.length,
    fnmr_at_fmr_1_percent: atFmr(0.01),
    fnmr_at_fmr_0_1_percent: atFmr(0.001),
    fnmr: rate(falseNonMatches, curve.same.length, fnmr.interval(falseNonMatches)),
    fmr: rate(falseMatches, curve.different.length, fmr.interval(falseMatches)),
  };
}

/** Returns the interval of the FNMR at an FMR where each resample of people has a threshold of its own. */
function fnmrOfResamples(
  pairs: readonly PersonPair[],
  different: Distances,
): (fixedFmr: number) => { low: number; high: number } {
  const ranks = Array.from({ length: gridSteps }, (_, i) =>
    Math.min(different.length - 1, Math.round((i / gridSteps) ** 2 * gridFmrMax * different.length)),
  );
  const thresholds = [...new Set(ranks)].map((rank) => justBelow(different.at(rank)!));
  const samples = personBootstrap(pairs, { thresholds, resamples, random: mulberry32(2) });
  return (fixedFmr) => {
    const rates = samples.fnmr.map((fnmr, i) => fnmr[Math.max(0, countUpTo(samples.fmr[i]!, fixedFmr) - 1)]!);
    return percentileInterval(rates) ?? { low: 0, high: 1 };
  };
}

/** Distances have six decimals. */
const justBelow = (distance: number): number => distance - 5e-7;

function rate(errors: number, of: number, { low, high }: { low: number; high: number }): Rate {
  const [value = 0, from = 0, to = 0] = [errors / of, low, high].map((share) => Number(share.toFixed(5)));
  return { value, low: from, high: to };
}

/** Thresholds of the grid are dense where the rate is small. */
const gridSteps = 80;
const gridFmrMax = 0.1;
const resamples = 120;
