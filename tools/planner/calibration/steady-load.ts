import { setTimeout as sleep } from "node:timers/promises";
import type { RunTimes } from "../prediction/predict.ts";
import { measuredOf } from "../replay/comparison.ts";
import { type ReplayOptions, replayTrace } from "../replay/load.ts";
import type { ReplayedCalls } from "../replay/replayed-calls.ts";
import type { RunCounts } from "../replay/run-counts.ts";
import type { ServiceCounts } from "../replay/service-counters.ts";

/**
 * Replays a load that the service can answer several times. The first times do not count: an ingress takes
 * less and less CPU time for a call for minutes after its start. Throws an Error with a sentence where calls
 * are not answered.
 */
export async function measureSteadyLoad(plan: SteadyLoadPlan): Promise<SteadyReplay[]> {
  const { watch, readRuns, ...options } = plan;
  const replays: SteadyReplay[] = [];
  for (let count = 1; count <= steadyReplays; count++) {
    const counts = await watch();
    const { calls: replayed, runs } = await replayAndRead(options, readRuns);
    const { runs: runCounts } = await counts();
    const { outcomes, calls } = measuredOf(replayed, {});
    if (outcomes.answered < answeredShareMin * calls) {
      throw new Error(
        `Of ${calls} calls that the service can answer, ${calls - outcomes.answered} were not answered. Give ` +
          "a key whose team has no limits, and calibrate a service that does nothing else.",
      );
    }
    if (count <= steadyReplays - countedReplays) continue;
    const serviceMs = replayed.answeredStages().map((stages) => stages.serviceMs);
    replays.push({ serviceMs, runs, counts: runCounts });
  }
  return replays;
}

/**
 * Replays, and reads the runs of that time: what a reading finds before is older. A reading that fails ends
 * the replay too.
 */
async function replayAndRead(
  options: ReplayOptions,
  readRuns: () => Promise<RunTimes[]>,
): Promise<{ calls: ReplayedCalls; runs: RunTimes[] }> {
  await readRuns();
  const ending = new AbortController();
  const replay = replayTrace({ ...options, signal: ending.signal });
  const runs: RunTimes[] = [];
  try {
    let isDone: boolean;
    do {
      isDone = await Promise.race([replay.then(() => true), sleep(readEveryMs, false, { ref: false })]);
      runs.push(...(await readRuns()));
    } while (!isDone);
    return { calls: await replay, runs };
  } finally {
    ending.abort();
  }
}

/** How many replays take place, of which `countedReplays` count. */
export const steadyReplays = 8;
const countedReplays = 4;
/** A worker with runs of 30 ms ends 66 meanwhile, and its live page lists 64. */
const readEveryMs = 2_000;
const answeredShareMin = 0.95;

export type SteadyLoadPlan = Omit<ReplayOptions, "signal"> & {
  /** Begins to count what the service does. */
  watch(): Promise<() => Promise<ServiceCounts>>;
  /** Reads runs that ended since the last reading. */
  readRuns(): Promise<RunTimes[]>;
};

/** `serviceMs`: of each answered call. `runs`: most of those that took place. `counts`: of all of them. */
export type SteadyReplay = {
  serviceMs: readonly number[];
  runs: readonly RunTimes[];
  counts: readonly RunCounts[];
};
