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

/** Every twentieth of the distribution. */
const quantileSteps = 20;
