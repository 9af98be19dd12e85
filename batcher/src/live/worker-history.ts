import type { FinishedBatch } from "@faceline/contracts/wire/report";
import { Latest } from "@faceline/runtime/live/recent/latest";
import { RecentSlots, slotMs, slotsMax } from "@faceline/runtime/live/recent/slots";
import type { LiveWorkerRuns } from "@faceline/runtime/live/state";
import type { SentBatch } from "../scheduling/state/sent-batch.ts";
import type { BatchEnd } from "../scheduling/state/state.ts";

/** The last minutes of one worker, in a bounded memory. */
export class WorkerHistory {
  readonly #ends = new RecentSlots<"failed" | "lost">();
  readonly #runs = new Latest<WorkerRun>(runsMax);

  addEnd(sent: SentBatch, { kind, finished }: BatchEnd, now: number): void {
    switch (kind) {
      case "answered":
        if (finished !== undefined && finished.size > 0) this.#runs.add(runOf(sent, finished, now));
        return;
      case "failed":
        return this.#ends.add("failed", 1, now);
      case "lost":
      case "unreceived":
        return this.#ends.add("lost", 1, now);
      // Neither is the worker's fault.
      case "undelivered":
      case "handed_over":
        return;
    }
  }

  runs(now: number): WorkerRun[] {
    return this.#runs.values().filter(({ endedAt }) => now - endedAt < slotMs * slotsMax);
  }

  failed(now: number): Pick<LiveWorkerRuns, "failedRuns" | "lostBatches"> {
    return { failedRuns: this.#ends.count("failed", now), lostBatches: this.#ends.count("lost", now) };
  }
}

/** Runs are compared that are alike: a build and a size take a time of their own. */
function runOf({ lane }: SentBatch, { size, runMs }: FinishedBatch, now: number): WorkerRun {
  return { alike: `${lane.key} ${lane.estimates.paddedSize(size)}`, runMs, endedAt: now };
}

/**
 * Returns for each worker its run times ÷ what the others take for the same batches: the sum of its times, by
 * the sum of the others' means for the lane, build and size of each. Unlike a mean of all runs this holds
 * where workers run other lanes and sizes, and unlike predictions, which follow a slow worker, it does not
 * fade. Runs that no other worker has alike are left out.
 */
export function compareRuns(runs: ReadonlyMap<string, readonly WorkerRun[]>): Map<string, RunComparison> {
  const sums = new Map([...runs].map(([worker, own]) => [worker, sumsOf(own)]));
  const all = sumsOf([...runs.values()].flat());
  return new Map([...sums].map(([worker, own]) => [worker, comparisonOf(own, all)]));
}

function sumsOf(runs: readonly WorkerRun[]): Sums {
  const sums: Sums = new Map();
  for (const { alike, runMs } of runs) {
    const { count, ms } = sums.get(alike) ?? { count: 0, ms: 0 };
    sums.set(alike, { count: count + 1, ms: ms + runMs });
  }
  return sums;
}

function comparisonOf(own: Sums, all: Sums): RunComparison {
  let [comparedRuns, ownMs, othersMs] = [0, 0, 0];
  for (const [alike, { count, ms }] of own) {
    const total = all.get(alike)!;
    if (total.count === count) continue;
    comparedRuns += count;
    ownMs += ms;
    othersMs += (count * (total.ms - ms)) / (total.count - count);
  }
  const runRatio = othersMs > 0 ? ownMs / othersMs : null;
  const isSlow = runRatio !== null && runRatio >= slowRatioMin && comparedRuns >= slowRunsMin;
  return { runRatio, comparedRuns, isSlow };
}

const runsMax = 128;
const slowRatioMin = 1.5;
/** One long run is no slow worker. */
const slowRunsMin = 8;

/** `alike`: what it shares with the runs that it is compared with. */
export type WorkerRun = { alike: string; runMs: number; endedAt: number };
type RunComparison = Pick<LiveWorkerRuns, "runRatio" | "comparedRuns" | "isSlow">;
type Sums = Map<string, { count: number; ms: number }>;
