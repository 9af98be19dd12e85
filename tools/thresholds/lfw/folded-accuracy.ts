/**
 * The accuracy that papers state for LFW: for each fold, the threshold is chosen on the other folds and
 * applied to it. The chosen one is the smallest distance of a pair at which most pairs of the other folds are
 * right, where a distance that is not greater than the threshold is a match; or one below all distances,
 * where nothing does better. An infinite distance never matches. Folds without pairs are left out.
 */
export function foldedAccuracy(pairs: readonly FoldPair[]): FoldedAccuracy {
  const folds = [...new Set(pairs.map(({ fold }) => fold))];
  const accuracies = folds.map((fold) => {
    const threshold = bestThreshold(pairs.filter((pair) => pair.fold !== fold));
    const own = pairs.filter((pair) => pair.fold === fold);
    return own.filter(({ distance, same }) => distance <= threshold === same).length / own.length;
  });
  const mean = accuracies.reduce((sum, each) => sum + each, 0) / folds.length;
  const squares = accuracies.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  return {
    mean,
    deviation: Math.sqrt(squares / folds.length),
    standardError: Math.sqrt(squares / (folds.length - 1) / folds.length),
  };
}

function bestThreshold(pairs: readonly FoldPair[]): number {
  const sorted = pairs
    .filter(({ distance }) => distance < Infinity)
    .toSorted((a, b) => a.distance - b.distance);
  // How many more pairs are right than where nothing matches.
  let gain = 0;
  let best = { gain: 0, threshold: -Infinity };
  for (const [index, { distance, same }] of sorted.entries()) {
    gain += same ? 1 : -1;
    if (sorted[index + 1]?.distance !== distance && gain > best.gain) best = { gain, threshold: distance };
  }
  return best.threshold;
}

type FoldPair = { distance: number; same: boolean; fold: number };

export type FoldedAccuracy = {
  mean: number;
  /** Standard deviation of the folds' accuracies, divided by their number. */
  deviation: number;
  /** Standard error of the mean, by the deviation that is divided by one less. */
  standardError: number;
};
