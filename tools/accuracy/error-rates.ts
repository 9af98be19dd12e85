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
 * Error rates of pairs with a face in both images, with 95 % intervals over people: at the model's own
 * threshold, and at the largest one with an FMR of at most 1 %. Null without both kinds of pairs.
 */
export function errorRates(pairs: readonly PersonPair[], threshold: number): ErrorRates | null {
  if (!pairs.some(({ same }) => same) || pairs.every(({ same }) => same)) return null;
  const { curve, fmr, fnmr, auc } = analyse(pairs, { lost: [], resamples, random: mulberry32(1) });
  const [falseMatches, falseNonMatches] = [curve.falseMatches(threshold), curve.falseNonMatches(threshold)];
  const atFmr = justBelow(curve.different.at(Math.floor(fixedFmr * curve.different.length))!);
  const misses = curve.falseNonMatches(atFmr);
  const [fixed, moved] = [fnmr.interval(misses), intervalAtFmr(pairs, curve.different)];
  const rate = (errors: number, of: number, { low, high }: { low: number; high: number }): Rate =>
    rounded({ value: errors / of, low, high });
  return {
    pairs_same: curve.same.length,
    pairs_different: curve.different.length,
    auc: rounded({ value: auc.value, ...(auc.interval ?? { low: 0, high: 1 }) }),
    fnmr_at_fmr_1_percent: rate(misses, curve.same.length, {
      low: Math.min(fixed.low, moved.low),
      high: Math.max(fixed.high, moved.high),
    }),
    fnmr: rate(falseNonMatches, curve.same.length, fnmr.interval(falseNonMatches)),
    fmr: rate(falseMatches, curve.different.length, fmr.interval(falseMatches)),
  };
}

/** Interval of the FNMR at 1 % FMR where each resample of people has a threshold of its own. */
function intervalAtFmr(pairs: readonly PersonPair[], different: Distances): { low: number; high: number } {
  const ranks = Array.from({ length: gridSteps }, (_, i) =>
    Math.min(different.length - 1, Math.round((i / gridSteps) ** 2 * gridFmrMax * different.length)),
  );
  const thresholds = [...new Set(ranks)].map((rank) => justBelow(different.at(rank)!));
  const samples = personBootstrap(pairs, { thresholds, resamples, random: mulberry32(2) });
  const rates = samples.fnmr.map((fnmr, i) => fnmr[Math.max(0, countUpTo(samples.fmr[i]!, fixedFmr) - 1)]!);
  return percentileInterval(rates) ?? { low: 0, high: 1 };
}

/** Distances have six decimals. */
const justBelow = (distance: number): number => distance - 5e-7;
const rounded = ({ value, low, high }: Rate): Rate => ({
  value: Number(value.toFixed(5)),
  low: Number(low.toFixed(5)),
  high: Number(high.toFixed(5)),
});

const fixedFmr = 0.01;
/** Thresholds of the grid are dense where the rate is small. */
const gridSteps = 80;
const gridFmrMax = 0.1;
const resamples = 120;
