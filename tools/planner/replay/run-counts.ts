import type { LaneId } from "@faceline/contracts/wire/ids";
import type { RunMeansByLane } from "../prediction/run-means.ts";

/** The runs of one lane whose batches were padded to `size`, together. */
export type RunCounts = {
  lane: LaneId;
  size: number;
  count: number;
  ms: number;
  /** CPU time of the engine; undefined where the service does not say it. */
  cpuMs: number | undefined;
};

/** Returns how many runs there were. */
export const countOf = (runs: readonly RunCounts[]): number =>
  runs.reduce((sum, { count }) => sum + count, 0);

/** Returns the mean ms of a run by its size, over all lanes. */
export function meanRunMs(runs: readonly RunCounts[]): Record<number, number> {
  const meanOf = (same: readonly RunCounts[]) => same.reduce((sum, { ms }) => sum + ms, 0) / countOf(same);
  return Object.fromEntries(
    [...Map.groupBy(runs, ({ size }) => size)].map(([size, same]) => [size, meanOf(same)]),
  );
}

/**
 * Returns how many times as much CPU time runs took as a prediction gives to so many of the same lanes and
 * sizes. Undefined where the service does not say it, and beside an engine that hardly computes on the cores.
 */
export function runPace(runs: readonly RunCounts[], predictedCpuMs: RunMeansByLane): number | undefined {
  let [cpuMs, predictedMs, ms] = [0, 0, 0];
  for (const each of runs) {
    const predicted = predictedCpuMs[each.lane]?.[each.size];
    if (predicted === undefined || each.cpuMs === undefined) continue;
    cpuMs += each.cpuMs;
    ms += each.ms;
    predictedMs += each.count * predicted;
  }
  return predictedMs === 0 || cpuMs < computingShareMin * ms ? undefined : cpuMs / predictedMs;
}

/** Of a run's time: an engine that computes on the cores has more, unless ten and more share a core. */
const computingShareMin = 0.1;
