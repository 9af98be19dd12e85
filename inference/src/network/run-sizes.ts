import type { Model } from "@faceline/models/catalogue-entry";
import type { ExecutionProvider } from "./execution-provider.ts";

/**
 * The sizes of a network's runs, ascending, up to `rowsMax`. On a CPU they are the buckets of the catalogue,
 * which were chosen by the time of a row there. A GPU needs far more rows for its best time, so there every
 * network has all sizes that double, and each is warmed at the start.
 */
export function runSizes(
  { batch_buckets }: Pick<Model, "batch_buckets">,
  { rowsMax, executionProvider }: { rowsMax: number; executionProvider: ExecutionProvider },
): number[] {
  if (executionProvider === "cpu") return batch_buckets.filter((size) => size <= rowsMax);
  return doublingSizes(rowsMax);
}

/** 1, 2, 4 … and `max` itself. */
export function doublingSizes(max: number): number[] {
  const sizes: number[] = [];
  for (let size = 1; size < max; size *= 2) sizes.push(size);
  return [...sizes, max];
}
