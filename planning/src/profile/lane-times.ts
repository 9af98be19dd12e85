import type { MeasuredTimes } from "@faceline/batcher/simulation/simulated-worker";
import type { LaneProfile } from "./profile.ts";
import { valueAt } from "./quantiles.ts";

/** Returns the times of a lane as a simulated worker draws them: from the measured distributions. */
export function laneTimes({ runs, preparation, contention }: LaneProfile): MeasuredTimes {
  const bySize = new Map(runs.map(({ size, ms }) => [size, ms]));
  const { alphaMs, betaMs, factors } = preparation;
  return {
    runMs: (size, share, runningBeside) => {
      const ms = bySize.get(size);
      if (ms === undefined) throw new RangeError(`batches of ${size} were not calibrated`);
      return valueAt(ms, share) * contention[Math.min(runningBeside, contention.length - 1)]!;
    },
    prepareMs: (cost, share) => (alphaMs + betaMs * cost) * valueAt(factors, share),
  };
}

/** Returns the mean of a distribution that is given by its quantiles. */
export function meanOf(quantiles: readonly number[]): number {
  // The trapezoidal rule: the distribution is linear from one quantile to the next.
  const all = quantiles.reduce((sum, each) => sum + each, 0);
  return (all - (quantiles[0]! + quantiles.at(-1)!) / 2) / (quantiles.length - 1);
}
