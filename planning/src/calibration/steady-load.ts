// Covered by ../commands/calibrate-service.test.ts.
import { setTimeout as sleep } from "node:timers/promises";
import type { RunTimes } from "../prediction/predict.ts";
import { measuredOf } from "../replay/comparison.ts";
import { type ReplayOptions, replayTrace } from "../replay/load.ts";
import type { RunCounts } from "../replay/run-counts.ts";
import type { ServiceCounts } from "../replay/service-counters.ts";

/**
 * Replays a load that the service can answer several times. The first times do not count: an ingress takes
 * less and less CPU time for a call for minutes after its start. Throws an Error with a sentence where calls
 * are not answered.
 */
export async function measureSteadyLoad(plan: SteadyLoadPlan): Promise<SteadyReplay[]> {
  const { watch, readRuns, ...options } = plan;
  const counted: SteadyReplay[] = [];
  for (let count = 1; count <= steadyReplays; count++) {
    const watched = await watch();
    const { done: replayed, read } = await readWhile(replayTrace(options), readRuns);
    const { runs } = await watched();
    const { outcomes, calls } = measuredOf(replayed, {});
    if (outcomes.answered < answeredShareMin * calls) {
      throw new Error(
        `Of ${calls} calls that the service can answer, ${calls - outcomes.answered} were not answered. Give ` +
          "a key whose team has no limits, and calibrate a service that does nothing else.",
      );
    }
    if (count <= steadyReplays - countedReplays) continue;
    const serviceMs = replayed.answeredStages().map((stages) => stages.serviceMs);
    counted.push({ serviceMs, runs: read, counts: runs });
  }
  return counted;
}

/** Reads until the work is done, and then once more. What the first reading finds is older than the work. */
async function readWhile<Done, Item>(
  work: Promise<Done>,
  readNew: () => Promise<Item[]>,
): Promise<{ done: Done; read: Item[] }> {
  await readNew();
  const read: Item[] = [];
  let isDone: boolean;
  do {
    isDone = await Promise.race([work.then(() => true), sleep(readEveryMs, false)]);
    read.push(...(await readNew()));
  } while (!isDone);
  return { done: await work, read };
}

/** How many replays take place, of which `countedReplays` count. */
export const steadyReplays = 8;
const countedReplays = 4;
/** A worker with runs of 30 ms ends 66 meanwhile, and its live page lists 64. */
const readEveryMs = 2_000;
const answeredShareMin = 0.95;

type SteadyLoadPlan = ReplayOptions & {
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
