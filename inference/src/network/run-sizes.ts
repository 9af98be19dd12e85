import type { Model } from "@faceline/models/catalogue-entry";
import type { ExecutionProvider } from "./execution-provider.ts";

/**
 * The sizes of a network's runs at an input side of `px`, ascending, up to `rowsMax`. On a CPU they are the
 * buckets of the catalogue, which were chosen by the time of a row there, without those of too many pixels. A
 * GPU needs far more rows for its best time, so there every network has all sizes that double, and each is
 * warmed at the start.
 */
export function runSizes(
  { batch_buckets }: Pick<Model, "batch_buckets">,
  { px, rowsMax, executionProvider }: { px: number; rowsMax: number; executionProvider: ExecutionProvider },
): number[] {
  if (executionProvider !== "cpu") return doublingSizes(rowsMax);
  const sizes = batch_buckets.filter((size) => size <= rowsMax);
  return sizes.filter((size, i) => i === 0 || size * px * px <= cpuRunPixelsMax);
}

/**
 * One image at a side of 512. Above it, more rows gain nothing on a core, because their layers do not fit
 * into its caches: in pairs, each row took 1.2 times as long in float32, as long in int8, and 50 MB more.
 */
const cpuRunPixelsMax = 512 * 512;

/** 1, 2, 4 … and `max` itself. */
export function doublingSizes(max: number): number[] {
  const sizes: number[] = [];
  for (let size = 1; size < max; size *= 2) sizes.push(size);
  return [...sizes, max];
}
