import type { Batch } from "@faceline/contracts/wire/batch";
import type { FinishedBatch, LoadedLane, Report } from "@faceline/contracts/wire/report";
import type { CompletedTask } from "./answer-outbox.ts";
import type { ReceivedBatch } from "./completed-tasks.ts";

/** Returns the report's entry of a batch that has not ended. */
export function heldBatch(batch: ReceivedBatch): Report["staged"][number] {
  return {
    batch: batch.id,
    lane: batch.lane,
    tasks: batch.tasks.map((task) => task.id),
    attempt: batch.attempt,
    receivedAt: batch.receivedAt,
  };
}

/** The tasks that showed several faces. */
export const crowdsOf = (completed: CompletedTask[]): FinishedBatch["crowds"] =>
  completed.flatMap(({ task, outcome }) =>
    outcome.kind === "faces" && outcome.faces.length > 1
      ? [{ task: task.id, faces: outcome.faces.length }]
      : [],
  );

/** The size whose run time a run of this many images takes. */
export function paddedSize(lanes: readonly LoadedLane[], lane: string, size: number): number {
  const sizes = lanes.find((each) => each.lane === lane)?.sizes ?? [];
  return sizes.find((each) => each.size >= size)?.size ?? size;
}

/** Measurements of a batch that was not run. */
export const nothingRun = (endedAt: number): RunMeasurements => ({
  size: 0,
  prepareMs: 0,
  runMs: 0,
  endedAt,
  crowds: [],
});

/** `steppedAt`: when the last step of the run ended. `withoutCoreMs`: since then; see Stopwatch. */
export function runTimes({ batch, startedAt, steppedAt, withoutCoreMs }: RunProgress) {
  return { startedAt, endsAt: Math.max(startedAt + batch.predictedRunMs, steppedAt) + withoutCoreMs };
}

type RunProgress = { batch: Batch; startedAt: number; steppedAt: number; withoutCoreMs: number };

export type RunMeasurements = Pick<FinishedBatch, "size" | "prepareMs" | "runMs" | "endedAt" | "crowds">;
