import type { LaneProfile } from "../profile/profile.ts";
import { quantilesOf } from "../profile/quantiles.ts";

/**
 * Returns the distribution of run times by size, alone, and how much longer runs take beside others. Runs on
 * the cores count without their waits for a core: other programs make a run wait, but hardly change its CPU
 * time.
 */
export function runProfile(
  samples: readonly RunSample[],
  { isOnCores }: { isOnCores: boolean },
): Pick<LaneProfile, "runs" | "contention" | "cpuShare"> {
  const sizes = [...new Set(samples.map(({ size }) => size))].toSorted((a, b) => a - b);
  const msOf = (size: number, besides: number) =>
    samples
      .filter((each) => each.size === size && each.besides === besides)
      .map(({ ms, cpuMs }) => (isOnCores ? Math.min(ms, cpuMs) : ms));
  const besides = [...new Set(samples.map((each) => each.besides))].toSorted((a, b) => a - b);
  const alone = samples.filter((each) => each.besides === 0);
  const cpuShares = alone.map(({ ms, cpuMs }) => cpuMs / ms).toSorted((a, b) => a - b);
  return {
    cpuShare: isOnCores ? 1 : Math.min(1, cpuShares[cpuShares.length >> 1]!),
    runs: sizes.map((size) => ({ size, ms: quantilesOf(msOf(size, 0)) })),
    contention: besides.map((count) =>
      mean(sizes.map((size) => mean(msOf(size, count)) / mean(msOf(size, 0)))),
    ),
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;

/** A run of a batch of `size`, in ms, beside so many other workers' runs. */
export type RunSample = {
  size: number;
  besides: number;
  ms: number;
  /** CPU time of the process, for each of the runs. */
  cpuMs: number;
};
