import assert from "node:assert/strict";
import test from "node:test";
import type { BatchId } from "@faceline/contracts/wire/batch";
import { finishedBatchesMax } from "@faceline/contracts/wire/report";
import { past5min } from "@faceline/runtime/live/recent-counts";
import { tracingOff } from "@faceline/runtime/tracing/tracing";
import type { CompletedTask } from "./answer-outbox.ts";
import { BatchCompletion, type BatchCompletionParts } from "./batch-completion.ts";
import { BatchSpans } from "./batch-spans.ts";
import type { ReceivedBatch } from "./completed-tasks.ts";
import type { RunUsage } from "./engine/work.ts";
import { BatchHistory } from "./live/batch-history.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

test("a batch that is refused is no run of the live page", async () => {
  const { completion, history } = open();
  completion.refuse(batch("a"));
  await completion.publish(batch("b"), { completed: [completedTask], times }, measured);
  void completion.publish(batch("c"), { error: "out of memory", times }, measured);
  assert.deepEqual(
    completion.finished.map(({ batch, end }) => `${batch} ${end}`),
    ["a refused", "b answered", "c failed"],
  );
  const [runs, failed] = (["runs", "failed"] as const).map((key) => history.counts.sum(key, past5min(10)));
  assert.deepEqual([runs, failed], [2, 1]);
});

test("the CPU time of the engine is counted with the times of its run", async () => {
  const recorded: unknown[] = [];
  const metrics = {
    recordBatch: (...[, , { runMs, runCpuMs }]: Parameters<WorkerMetrics["recordBatch"]>) =>
      void recorded.push([runMs, runCpuMs]),
  } as unknown as WorkerMetrics;
  const { completion } = open({ metrics });
  const usage = { runMs: 4, cpuMs: 2 } as unknown as RunUsage;
  await completion.publish(batch("a"), { completed: [completedTask], usage, times }, measured);
  void completion.publish(batch("b"), { error: "out of memory", times }, measured);
  assert.deepEqual(recorded, [
    [3, 2],
    [3, undefined],
  ]);
});

test("reports name the last batches that ended, and no more than their limit", () => {
  const { completion } = open();
  for (let index = 0; index <= finishedBatchesMax; index++) completion.refuse(batch(`${index}`));
  assert.equal(completion.finished.length, finishedBatchesMax);
  assert.equal(completion.finished[0]?.batch, "1");
  assert.equal(completion.has("0" as BatchId), false);
});

const times = { receivedAt: 0 };
const measured = { size: 2, prepareMs: 1, runMs: 3, endedAt: 5, crowds: [] };
const completedTask = { outcome: { kind: "faces", faces: [] } } as unknown as CompletedTask;

function open({ metrics }: Pick<BatchCompletionParts, "metrics"> = {}) {
  const history = new BatchHistory();
  const completion = new BatchCompletion({
    clock: { now: () => 10 },
    answers: { send: async () => {} },
    metrics,
    spans: new BatchSpans(tracingOff, { worker: "inference-1", pool: "default" }),
    history,
    onChange: () => {},
  });
  return { completion, history };
}

const batch = (id: string): ReceivedBatch =>
  ({ id, lane: "Dlib/ssd", predictedRunMs: 3, tasks: [] }) as unknown as ReceivedBatch;
