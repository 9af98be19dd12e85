import type { Batch } from "@faceline/contracts/wire/batch";
import type { FinishedBatch } from "@faceline/contracts/wire/report";
import { RecentCounts } from "@faceline/runtime/live/recent-counts";

/** Remembers the batches of the last minutes for the live page, in a bounded memory. */
export class BatchHistory {
  readonly counts = new RecentCounts<"tasks" | "runs" | "failed" | "runMs" | "predictedMs" | "prepareMs">();

  add({ predictedRunMs }: Batch, isAnswered: boolean, times: RunTimes): void {
    const { size, prepareMs, runMs, endedAt } = times;
    if (!isAnswered) this.counts.add("failed", 1, endedAt);
    if (size === 0) return;
    this.counts.add("runs", 1, endedAt);
    this.counts.add("tasks", size, endedAt);
    this.counts.add("runMs", runMs, endedAt);
    this.counts.add("predictedMs", predictedRunMs, endedAt);
    this.counts.add("prepareMs", prepareMs, endedAt);
  }
}

type RunTimes = Pick<FinishedBatch, "size" | "prepareMs" | "runMs" | "endedAt">;
