import type { MachinePace } from "@faceline/contracts/stored/profile";
import { meanInterval } from "../profile/quantiles.ts";
import { isOnCores, type RunSample } from "./lane-profile.ts";

/**
 * Returns how the machine's pace changed while the runs of several lanes were measured one lane after
 * another. Virtual machines share cores, caches and memory with others, so that for seconds all work takes
 * longer, which fills queues as single long runs do not. Undefined where no lane runs on the cores.
 */
export function machinePace(lanes: readonly (readonly RunSample[])[]): MachinePace | undefined {
  const rounds = lanes.filter(isOnCores).flatMap((samples) => {
    const factors = roundFactors(samples);
    return [...Map.groupBy(samples, ({ round }) => round)].map(([round, each]) => ({
      factor: factors.get(round)!,
      forMs: each.reduce((sum, { ms, besides }) => sum + ms / (besides + 1), 0),
    }));
  });
  if (rounds.length === 0) return undefined;
  const lasted = rounds.reduce((sum, { forMs }) => sum + forMs, 0);
  return {
    everyMs: lasted / rounds.length,
    factors: rounds.map(({ factor }) => factor).slice(0, stretchesMax),
  };
}

/**
 * Returns samples as they would have been at the usual pace: each divided by the factor of its round. Runs on
 * an accelerator are returned as they are.
 */
export function atUsualPace(samples: readonly RunSample[]): RunSample[] {
  if (!isOnCores(samples)) return [...samples];
  const factors = roundFactors(samples);
  return samples.map((sample) => ({ ...sample, ms: sample.ms / factors.get(sample.round)! }));
}

/** How many times as long as usual the runs alone of each round took, over all sizes. */
function roundFactors(samples: readonly RunSample[]): Map<number, number> {
  const alone = samples.filter(({ besides }) => besides === 0);
  const usualMs = new Map(
    [...Map.groupBy(alone, ({ size }) => size)].map(([size, runs]) => [
      size,
      meanInterval(runs.map(({ ms }) => ms)).mean,
    ]),
  );
  return new Map(
    [...Map.groupBy(alone, ({ round }) => round)].map(([round, runs]) => [
      round,
      meanInterval(runs.map(({ ms, size }) => ms / usualMs.get(size)!)).mean,
    ]),
  );
}

/** As many as a profile takes. */
const stretchesMax = 4_000;
