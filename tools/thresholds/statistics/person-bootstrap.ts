import type { Interval } from "./binomial.ts";
import { countUpTo, type DistancePair } from "./error-curve.ts";

/**
 * Bootstrap over people. Pairs that share a person are not independent: one look-alike errs in all pairs he
 * is in. So people are drawn with replacement, and a pair counts as often as its people were drawn: a pair of
 * one person as often as this person, a pair of two people as often as the product (the vertex bootstrap of
 * Snijders and Borgatti, 1999). Where pairs are independent after all, intervals are wider than needed.
 */
export function personBootstrap(
  pairs: readonly PersonPair[],
  { thresholds, resamples, random }: BootstrapOptions,
): BootstrapResult {
  const sorted = sortedPairs(pairs);
  const draw = drawPeople(sorted, random);
  const ends = thresholds.map((threshold) => countUpTo(sorted.distances, threshold));
  const weights = new Float64Array(sorted.distances.length);
  const result: BootstrapResult = { fmr: [], fnmr: [], auc: [], dPrime: [] };
  // A sample without a pair of one kind has no rates, and another one is drawn.
  for (let drawn = 0; result.auc.length < resamples && drawn < 10 * resamples; drawn++) {
    draw(weights);
    const sample = measured(sorted, weights, ends);
    if (sample === undefined) continue;
    result.fmr.push(sample.fmr);
    result.fnmr.push(sample.fnmr);
    result.auc.push(sample.auc);
    result.dPrime.push(sample.dPrime);
  }
  return result;
}

/**
 * The area under the ROC curve (AUC), the share of (same, different) in which the same person is nearer,
 * where equal distances count half; and d', the distance of the two means over the root mean square of the
 * two standard deviations. Throws a RangeError without pairs of both kinds.
 */
export function separationOf(pairs: readonly PersonPair[]): { auc: number; dPrime: number } {
  const once = new Float64Array(pairs.length).fill(1);
  const sample = measured(sortedPairs(pairs), once, []);
  if (sample === undefined) throw new RangeError("Rates take a pair of one person and a pair of two.");
  return { auc: sample.auc, dPrime: sample.dPrime };
}

/** The range of the middle 95% of the values; undefined for fewer than 100. */
export function percentileInterval(values: readonly number[]): Interval | undefined {
  if (values.length < 100) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!;
  return { low: at(0.025), high: at(0.975) };
}

function sortedPairs(pairs: readonly PersonPair[]): SortedPairs {
  const sorted = pairs.toSorted((a, b) => a.distance - b.distance);
  return {
    distances: Float64Array.from(sorted, ({ distance }) => distance),
    isSame: Uint8Array.from(sorted, ({ same }) => (same ? 1 : 0)),
    ones: Int32Array.from(sorted, ({ people }) => people[0]),
    others: Int32Array.from(sorted, ({ people }) => people[1]),
  };
}

function drawPeople({ isSame, ones, others }: SortedPairs, random: () => number): Draw {
  const people = 1 + Math.max(-1, ...[ones, others].map((each) => each.reduce((a, b) => Math.max(a, b), -1)));
  const drawn = new Int32Array(people);
  return (weights) => {
    drawn.fill(0);
    for (let i = 0; i < people; i++) drawn[Math.floor(random() * people)]!++;
    for (let i = 0; i < weights.length; i++) {
      const times = drawn[ones[i]!]!;
      weights[i] = isSame[i] === 1 ? times : times * drawn[others[i]!]!;
    }
  };
}

/**
 * Measures weighted pairs in one pass. `ends`: for each threshold how many pairs it takes. Undefined if one
 * kind weighs nothing.
 */
function measured(
  { distances, isSame }: SortedPairs,
  weights: Float64Array,
  ends: readonly number[],
): Sample | undefined {
  const count = distances.length;
  const [fmr, fnmr] = [new Float64Array(ends.length), new Float64Array(ends.length)];
  // Sums of weights, of distances from the middle one, and of their squares.
  const middle = distances[count >> 1] ?? 0;
  let [same, sameSum, sameSquares] = [0, 0, 0];
  let [different, differentSum, differentSquares] = [0, 0, 0];
  // Of the pairs at the current distance.
  let [tiedSame, tiedDifferent] = [0, 0];
  let inOrder = 0;
  let end = 0;
  for (let i = 0; ; i++) {
    for (; end < ends.length && ends[end] === i; end++) {
      fmr[end] = different;
      fnmr[end] = same;
    }
    if (i === 0 || i === count || distances[i] !== distances[i - 1]) {
      inOrder += tiedDifferent * (same - tiedSame / 2);
      tiedSame = 0;
      tiedDifferent = 0;
    }
    if (i === count) break;
    const weight = weights[i]!;
    if (weight === 0) continue;
    const off = distances[i]! - middle;
    if (isSame[i] === 1) {
      same += weight;
      tiedSame += weight;
      sameSum += weight * off;
      sameSquares += weight * off * off;
    } else {
      different += weight;
      tiedDifferent += weight;
      differentSum += weight * off;
      differentSquares += weight * off * off;
    }
  }
  if (same === 0 || different === 0) return undefined;
  const [sameMean, differentMean] = [sameSum / same, differentSum / different];
  const variances =
    Math.max(0, sameSquares / same - sameMean ** 2) +
    Math.max(0, differentSquares / different - differentMean ** 2);
  return {
    fmr: fmr.map((matches) => matches / different),
    fnmr: fnmr.map((matches) => 1 - matches / same),
    auc: inOrder / (same * different),
    dPrime: (differentMean - sameMean) / Math.sqrt(variances / 2),
  };
}

/** Two images, and the numbers of the people in them, from 0 on; twice the same where `same`. */
export type PersonPair = DistancePair & { people: readonly [number, number] };

/** `thresholds` ascend. `random` gives numbers from 0 to below 1. */
type BootstrapOptions = { thresholds: readonly number[]; resamples: number; random: () => number };

/** Writes how often each pair counts. */
type Draw = (weights: Float64Array) => void;

/** One entry a resample; those of a rate have one number a threshold. */
type BootstrapResult = { fmr: Float64Array[]; fnmr: Float64Array[]; auc: number[]; dPrime: number[] };

type Sample = { fmr: Float64Array; fnmr: Float64Array; auc: number; dPrime: number };

/** Ascending by distance. */
type SortedPairs = { distances: Float64Array; isSame: Uint8Array; ones: Int32Array; others: Int32Array };
