import assert from "node:assert/strict";
import test from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { openLog } from "@faceline/runtime/log";
import { OtlpConfig } from "@faceline/runtime/otlp-config";
import { metricsOff } from "@faceline/runtime/metrics/metrics";
import { openMetrics } from "@faceline/runtime/metrics/open-metrics";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import type { CompletedTask } from "./answer-outbox.ts";
import { WorkerMetrics } from "./worker-metrics.ts";

const precisions: LoadedLane["precisions"] = [
  { model: "ssd", precision: "float32", fallback: true, sha256: "" },
  { model: "Dlib", precision: "int8", fallback: false, sha256: "" },
];
const sizes = [1, 2, 4].map((size) => ({ size, runMs: 10 * size }));
const lane = { lane: "Dlib/ssd", executionProvider: "cpu", precisions, sizes } as LoadedLane;
const batch = { lane: "Dlib/ssd", predictedRunMs: 40 } as Batch;
const completed = (...outcomes: Outcome[]): CompletedTask[] =>
  outcomes.map((outcome) => ({ task: {}, outcome }) as CompletedTask);

test("a batch is recorded under the size that it was padded to, with how wrong its prediction was", async () => {
  await using page = await openPage();
  const rejected: Outcome = { kind: "rejected", code: "no_face_detected" };
  const times = {
    size: 3,
    prepareMs: 5,
    runMs: 30,
    runCpuMs: 20,
    receivedAt: 50,
    endedAt: 100,
    answeredAt: 102,
  };
  page.metrics.recordBatch(batch, completed(rejected, rejected, { kind: "expired", lateByMs: 1 }), times);
  await page.shows(
    'faceline_run_duration_seconds_sum{lane="Dlib/ssd",bucket="4"} 0.03',
    'faceline_run_cpu_time_seconds_total{lane="Dlib/ssd",bucket="4"} 0.02',
    'faceline_prepare_duration_seconds_sum{lane="Dlib/ssd"} 0.005',
    'faceline_answer_duration_seconds_sum{lane="Dlib/ssd"} 0.002',
    'faceline_run_prediction_error_seconds_sum{lane="Dlib/ssd",direction="short"} 0.01',
    "faceline_tasks_expired_total 1",
    'faceline_runs_failed_total{lane="Dlib/ssd"} 0',
  );
});

test("a batch whose run failed, and tasks whose images were lost, are counted", async () => {
  await using page = await openPage();
  const times = {
    size: 0,
    prepareMs: 0,
    runMs: 0,
    runCpuMs: undefined,
    receivedAt: 50,
    endedAt: 100,
    answeredAt: 100,
  };
  page.metrics.recordBatch(batch, undefined, times);
  page.metrics.recordBatch(batch, completed({ kind: "failed", reason: "image_lost" }), times);
  await page.shows(
    'faceline_runs_failed_total{lane="Dlib/ssd"} 1',
    'faceline_tasks_failed_total{reason="image_lost"} 1',
    'faceline_tasks_failed_total{reason="run_failed"} 0',
  );
  assert.deepEqual(page.processed, ["run_failed 50", "none 50"]);
});

test("a model that runs in float for want of accuracy is shown", async () => {
  await using page = await openPage();
  await page.shows(
    'faceline_precision_fallback{model="ssd"} 1',
    'faceline_precision_fallback{model="Dlib"} 0',
  );
});

test("where nobody reads, there is nothing to record with", () => {
  assert.equal(WorkerMetrics.open(metricsOff, { lanes: [lane.lane], loaded: () => [lane] }), undefined);
});

async function openPage() {
  const config = readConfig(OtlpConfig, {});
  const log = openLog("test", "silent");
  const opened = await openMetrics({ config, page: true, service: "inference", id: "inference-1", log });
  const processed: string[] = [];
  return {
    processed,
    metrics: WorkerMetrics.open(opened, {
      lanes: [lane.lane],
      loaded: () => [lane],
      processed: (durationMs, error = "none") => {
        processed.push(`${error} ${durationMs}`);
      },
    })!,
    async shows(...expected: string[]): Promise<void> {
      const page = await opened.page();
      for (const line of expected)
        assert.ok(page.split("\n").includes(line), `${line} is missing in\n${page}`);
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
