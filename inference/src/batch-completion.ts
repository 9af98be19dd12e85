import type { Batch, BatchId } from "@faceline/contracts/wire/batch";
import { type FinishedBatch, finishedBatchesMax } from "@faceline/contracts/wire/report";
import type { Clock } from "@faceline/runtime/clock";
import type { AnswerOutbox, CompletedTask } from "./answer-outbox.ts";
import { nothingRun, type RunMeasurements } from "./batch-report.ts";
import type { BatchSpans, BatchTimes } from "./batch-spans.ts";
import type { ReceivedBatch } from "./completed-tasks.ts";
import type { RunUsage } from "./engine/work.ts";
import type { BatchHistory } from "./live/batch-history.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

/**
 * Ends the batches of a worker: publishes the answers of each, and then records it in spans, metrics, the
 * live page's history and the next reports.
 *
 *     publish ──► [ answering ] ──► [ finished ]
 */
export class BatchCompletion {
  readonly #parts: BatchCompletionParts;
  readonly #answering = new Set<ReceivedBatch>();
  readonly #finished: FinishedBatch[] = [];

  constructor(parts: BatchCompletionParts) {
    this.#parts = parts;
  }

  /** The batches whose answers are not all delivered yet. */
  get answering(): ReadonlySet<ReceivedBatch> {
    return this.#answering;
  }

  /** The last `finishedBatchesMax` batches that ended. */
  get finished(): FinishedBatch[] {
    return this.#finished;
  }

  /** Whether the batch is answered now, or ended not long ago. */
  has(id: BatchId): boolean {
    return (
      this.#answering.values().some((each) => each.id === id) ||
      this.#finished.some((each) => each.batch === id)
    );
  }

  /** Resolves when the answers are delivered or past their deadlines. A batch that failed has none. */
  async publish(batch: ReceivedBatch, result: BatchResult, measurements: RunMeasurements): Promise<void> {
    const { completed, usage, error, times } = result;
    this.#answering.add(batch);
    if (completed !== undefined) await this.#parts.answers.send(completed, batch.id);
    this.#answering.delete(batch);
    const { clock, metrics, history, spans } = this.#parts;
    const answeredAt = clock.now();
    spans.end(batch, { ...times, answeredAt }, { completed: completed ?? [], usage, error });
    const { receivedAt } = times;
    metrics?.recordBatch(batch, completed, {
      ...measurements,
      runCpuMs: usage?.cpuMs,
      receivedAt,
      answeredAt,
    });
    history?.add(batch, completed !== undefined, measurements);
    this.#finish(batch, completed === undefined ? "failed" : "answered", measurements);
  }

  /** The batch is not taken: its tasks go back to the batcher. */
  refuse(batch: Batch): void {
    this.#finish(batch, "refused", nothingRun(this.#parts.clock.now()));
  }

  #finish({ id, lane }: Batch, end: FinishedBatch["end"], measurements: RunMeasurements): void {
    this.#finished.push({ batch: id, lane, end, ...measurements });
    if (this.#finished.length > finishedBatchesMax) this.#finished.shift();
    this.#parts.onChange();
  }
}

/** The outcomes of a batch's tasks, or the error that sends all of them back to the batcher. */
export type BatchResult = {
  completed?: CompletedTask[];
  usage?: RunUsage | undefined;
  error?: string;
  times: Omit<BatchTimes, "answeredAt">;
};

export type BatchCompletionParts = {
  clock: Clock;
  answers: AnswerOutbox;
  spans: BatchSpans;
  /** Undefined: nobody reads the metrics. */
  metrics?: WorkerMetrics | undefined;
  /** Undefined: nobody looks at the live page. */
  history?: BatchHistory | undefined;
  /** Called whenever a report would differ from the last one. */
  onChange(): void;
};
