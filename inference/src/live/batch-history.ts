import { Latest } from "@faceline/runtime/live/recent/latest";
import { RecentSlots, slotMs } from "@faceline/runtime/live/recent/slots";
import type { LiveInference, LiveRun } from "@faceline/runtime/live/state";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { FinishedBatch } from "@faceline/contracts/wire/report";

/** Remembers the batches of the last minutes for the live page, in a bounded memory, without a timer. */
export class BatchHistory {
  readonly #counts = new RecentSlots<"tasks" | "busyMs" | "answered" | "failed">();
  readonly #runs = new Latest<LiveRun>(runsMax);

  /** `bucket` is the size that the run was padded to. */
  add({ lane, predictedRunMs }: Batch, isAnswered: boolean, times: RunTimes): void {
    const { size, bucket, prepareMs, runMs, endedAt } = times;
    this.#counts.add(isAnswered ? "answered" : "failed", 1, endedAt);
    if (size === 0) return;
    this.#counts.add("tasks", size, endedAt);
    // A long run lies in several slots.
    for (let from = endedAt - runMs; from < endedAt; ) {
      const until = Math.min(endedAt, (Math.floor(from / slotMs) + 1) * slotMs);
      this.#counts.add("busyMs", until - from, from);
      from = until;
    }
    this.#runs.add({ lane, tasks: size, bucket, prepareMs, runMs, predictedRunMs, isAnswered });
  }

  read(now: number): Pick<LiveInference, "tasks" | "busy" | "answered" | "failed" | "runs"> {
    return {
      tasks: this.#counts.series("tasks", now),
      busy: this.#counts.series("busyMs", now).map((ms) => Math.min(1, ms / slotMs)),
      answered: this.#counts.count("answered", now),
      failed: this.#counts.count("failed", now),
      runs: this.#runs.values(),
    };
  }
}

const runsMax = 64;

type RunTimes = Pick<FinishedBatch, "size" | "prepareMs" | "runMs" | "endedAt"> & { bucket: number };
