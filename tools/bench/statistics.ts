export const sum = (values: Iterable<number>): number => [...values].reduce((total, each) => total + each, 0);

/** NaN where there are no values. */
export const mean = (values: readonly number[]): number => sum(values) / values.length;

/**
 * Estimates new / old from paired measurements: the geometric mean of the ratios of the pairs, with a 95%
 * confidence interval from Student's t distribution over the logarithms of the ratios. Pairs are measured
 * right after each other, so what slows the whole machine down for a while cancels out. Throws a RangeError
 * for fewer than two pairs, or for a value that is not positive.
 */
export function pairedRatio(pairs: readonly Pair[]): RatioEstimate {
  if (pairs.length < 2) throw new RangeError(`An interval takes two pairs, not ${pairs.length}.`);
  const wrong = pairs.find((pair) => !(pair.old > 0 && pair.new > 0));
  if (wrong !== undefined) throw new RangeError(`There is no ratio of ${wrong.new} to ${wrong.old}.`);
  const logs = pairs.map((pair) => Math.log(pair.new / pair.old));
  const middle = mean(logs);
  const variance = sum(logs.map((each) => (each - middle) ** 2)) / (logs.length - 1);
  const margin = studentT(logs.length - 1) * Math.sqrt(variance / logs.length);
  return { ratio: Math.exp(middle), low: Math.exp(middle - margin), high: Math.exp(middle + margin) };
}

/**
 * 97.5% quantiles of Student's t distribution for 1 to 20 degrees of freedom (NIST/SEMATECH e-Handbook,
 * 1.3.6.7.2).
 */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086,
];

/** Beyond the table the last value is used: a little wider than needed. */
const studentT = (degreesOfFreedom: number): number => quantiles[degreesOfFreedom - 1] ?? quantiles.at(-1)!;

/** The same measure of two systems, one right after the other. */
export type Pair = { old: number; new: number };

/** new / old, and the ends of its 95% confidence interval. */
export type RatioEstimate = { ratio: number; low: number; high: number };
