import type { Metrics } from "@faceline/runtime/metrics/metrics";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { LaneId } from "@faceline/contracts/wire/ids";
import { failureReasons } from "@faceline/contracts/wire/outcome";
import type { FinishedBatch, LoadedLane } from "@faceline/contracts/wire/report";
import type { CompletedTask } from "./answer-outbox.ts";
import { paddedSize } from "./batch-report.ts";

/** Records each batch of the worker when it has ended. */
export class WorkerMetrics {
  readonly #metrics: Metrics;
  readonly #loaded: () => readonly LoadedLane[];
  readonly #processed: WorkerMetricsParts["processed"];

  /** Undefined: nobody reads the metrics. */
  static open(metrics: Metrics, parts: WorkerMetricsParts): WorkerMetrics | undefined {
    return metrics.on ? new WorkerMetrics(metrics, parts) : undefined;
  }

  private constructor(metrics: Metrics, { lanes, loaded, processed }: WorkerMetricsParts) {
    this.#metrics = metrics;
    this.#loaded = loaded;
    this.#processed = processed;
    for (const reason of failureReasons) metrics.add("faceline.tasks.failed", 0, { reason });
    for (const lane of lanes) metrics.add("faceline.runs.failed", 0, { lane });
    metrics.add("faceline.tasks.expired", 0, {});
    metrics.observe("faceline.precision.fallback", () => {
      const precisions = loaded().flatMap((each) => each.precisions);
      const models = new Map(precisions.map((each) => [each.model, each]));
      return [...models.values()].map(({ model, fallback }) => [fallback ? 1 : 0, { model }]);
    });
  }

  /** `completed` is undefined if the batch could not be prepared or its run failed. */
  recordBatch(
    { lane, predictedRunMs }: Batch,
    completed: CompletedTask[] | undefined,
    times: BatchTimes,
  ): void {
    const metrics = this.#metrics;
    const { size, prepareMs, runMs, runCpuMs, receivedAt, endedAt, answeredAt } = times;
    this.#processed?.(answeredAt - receivedAt, completed === undefined ? "run_failed" : undefined);
    if (completed === undefined) metrics.add("faceline.runs.failed", 1, { lane });
    else metrics.record("faceline.answer.duration", Math.max(0, answeredAt - endedAt) / 1_000, { lane });
    for (const { outcome } of completed ?? []) {
      if (outcome.kind === "expired") metrics.add("faceline.tasks.expired", 1, {});
      if (outcome.kind === "failed") metrics.add("faceline.tasks.failed", 1, { reason: outcome.reason });
    }
    if (size === 0) return;
    metrics.record("faceline.prepare.duration", prepareMs / 1_000, { lane });
    const bucket = paddedSize(this.#loaded(), lane, size);
    metrics.record("faceline.run.duration", runMs / 1_000, { lane, bucket });
    if (runCpuMs !== undefined) metrics.add("faceline.run.cpu.time", runCpuMs / 1_000, { lane, bucket });
    if (completed === undefined) return;
    const errorMs = runMs - predictedRunMs;
    const direction = errorMs > 0 ? "long" : "short";
    metrics.record("faceline.run.prediction.error", Math.abs(errorMs) / 1_000, { lane, direction });
  }
}

/** `runCpuMs`: undefined if the run failed. */
type BatchTimes = Pick<FinishedBatch, "size" | "prepareMs" | "runMs" | "endedAt"> & {
  runCpuMs: number | undefined;
  receivedAt: number;
  answeredAt: number;
};

type WorkerMetricsParts = {
  /** Lanes of the settings, of which some are loaded. */
  lanes: readonly LaneId[];
  loaded: () => readonly LoadedLane[];
  /** Called for every batch that has ended. */
  processed?: ((durationMs: number, errorType: string | undefined) => void) | undefined;
};
