/** Returns the value below which a share of the values lies, by nearest rank: always one of the values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const sum = (values: Iterable<number>): number => [...values].reduce((total, each) => total + each, 0);

/** NaN where there are no values. */
export const mean = (values: readonly number[]): number => sum(values) / values.length;
