/** Returns the values at equal steps of the distribution of these samples, from the least to the greatest. */
export function quantilesOf(samples: readonly number[], steps = quantileSteps): number[] {
  const sorted = samples.toSorted((a, b) => a - b);
  return Array.from({ length: steps + 1 }, (_, step) => valueAt(sorted, step / steps));
}

/** Returns the value at a share, from 0 to 1, of sorted values: on the line between its neighbours. */
export function valueAt(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const index = Math.max(0, Math.min(sorted.length - 2, Math.floor(place)));
  const below = sorted[index]!;
  return below + (place - index) * ((sorted[index + 1] ?? below) - below);
}

/**
 * Returns a 95 % interval of the mean of these samples: Student's t with the standard error, 2 in place of
 * the exact factor, which is 2.09 for 20 samples.
 */
export function meanInterval(samples: readonly number[]): { mean: number; plusMinus: number } {
  const mean = samples.reduce((sum, each) => sum + each, 0) / samples.length;
  const squares = samples.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const variance = squares / Math.max(1, samples.length - 1);
  return { mean, plusMinus: 2 * Math.sqrt(variance / samples.length) };
}

/** Every twentieth of the distribution. */
const quantileSteps = 20;
