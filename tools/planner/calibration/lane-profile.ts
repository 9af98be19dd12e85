import type { LaneProfile } from "@faceline/contracts/stored/profile";
import { quantilesOf } from "../profile/quantiles.ts";

/** Returns the distribution of run times by size, alone, and how much longer runs take beside others. */
export function runProfile(
  samples: readonly RunSample[],
): Pick<LaneProfile, "runs" | "contention" | "cpuShare"> {
  const sizes = [...new Set(samples.map(({ size }) => size))].toSorted((a, b) => a - b);
  const msOf = (size: number, besides: number) =>
    samples.filter((each) => each.size === size && each.besides === besides).map(({ ms }) => ms);
  const besides = [...new Set(samples.map((each) => each.besides))].toSorted((a, b) => a - b);
  const alone = samples.filter((each) => each.besides === 0);
  const cpuShares = alone.map(({ ms, cpuMs }) => cpuMs / ms).toSorted((a, b) => a - b);
  return {
    cpuShare: Math.min(1, cpuShares[cpuShares.length >> 1]!),
    runs: sizes.map((size) => ({ size, ms: quantilesOf(msOf(size, 0)) })),
    contention: besides.map((count) => {
      const ratios = sizes.map((size) => mean(msOf(size, count)) / mean(msOf(size, 0)));
      return mean(ratios);
    }),
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;

/**
 * Returns samples without their waits for a core, where runs keep one busy: another program makes a run wait,
 * but hardly changes its CPU time. Runs on an accelerator are returned as they are.
 */
export function withoutWaits(samples: readonly RunSample[]): RunSample[] {
  if (!isOnCores(samples)) return [...samples];
  return samples.map((sample) => ({ ...sample, ms: Math.min(sample.ms, sample.cpuMs) }));
}

/** Whether runs keep a core busy. */
const isOnCores = (samples: readonly RunSample[]): boolean =>
  samples.some(({ ms, cpuMs, besides }) => besides === 0 && cpuMs >= cpuBoundShare * ms);

/** Share of a run's time from which on it is taken to compute all the time. */
const cpuBoundShare = 0.9;

/** A run of a batch of `size`, in ms, beside so many other workers' runs. */
export type RunSample = {
  size: number;
  besides: number;
  ms: number;
  /** CPU time of the process, for each of the runs. */
  cpuMs: number;
};
