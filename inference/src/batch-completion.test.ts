import assert from "node:assert/strict";
import test from "node:test";
import { tracingOff } from "@faceline/runtime/tracing/tracing";
import type { Batch, BatchId } from "@faceline/contracts/wire/batch";
import { finishedBatchesMax, type LoadedLane } from "@faceline/contracts/wire/report";
import type { CompletedTask } from "./answer-outbox.ts";
import { BatchCompletion, type BatchCompletionParts } from "./batch-completion.ts";
import { nothingRun } from "./batch-report.ts";
import { BatchSpans } from "./batch-spans.ts";
import type { RunUsage } from "./engine/work.ts";
import { BatchHistory } from "./live/batch-history.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

test("a batch is answering until its answers are delivered, and has finished then", async () => {
  const { completed, sent, delivered, changes } = open();
  const published = completed.publish(batch("a"), { completed: [completedTask], times }, measured);
  assert.deepEqual(state(completed), { answering: ["a"], finished: [] });
  assert.deepEqual(sent, ["a"]);
  assert.equal(completed.has("a" as BatchId), true);
  delivered.resolve();
  await published;
  assert.deepEqual(state(completed), { answering: [], finished: ["a answered"] });
  assert.equal(completed.has("a" as BatchId), true);
  assert.equal(changes(), 1);
});

test("a batch that failed finishes at once, without answers", () => {
  const { completed, sent } = open();
  void completed.publish(batch("a"), { error: "out of memory", times }, nothingRun(5));
  assert.deepEqual(state(completed), { answering: [], finished: ["a failed"] });
  assert.deepEqual(sent, []);
});

test("a batch that is refused is no run of the live page", async () => {
  const { completed, history, delivered } = open();
  delivered.resolve();
  completed.refuse(batch("a"));
  await completed.publish(batch("b"), { completed: [completedTask], times }, measured);
  void completed.publish(batch("c"), { error: "out of memory", times }, measured);
  assert.deepEqual(state(completed).finished, ["a refused", "b answered", "c failed"]);
  const { answered, failed, runs } = history.read(10);
  assert.deepEqual([answered.all, failed.all], [1, 1]);
  // Two tasks were padded to four.
  assert.deepEqual(
    runs.map(({ bucket }) => bucket),
    [4, 4],
  );
});

test("the CPU time of the engine is counted with the times of its run", async () => {
  const recorded: unknown[] = [];
  const metrics = {
    recordBatch: (...[, , { runMs, runCpuMs }]: Parameters<WorkerMetrics["recordBatch"]>) =>
      void recorded.push([runMs, runCpuMs]),
  } as unknown as WorkerMetrics;
  const { completed, delivered } = open({ metrics });
  delivered.resolve();
  const usage = { runMs: 4, cpuMs: 2 } as unknown as RunUsage;
  await completed.publish(batch("a"), { completed: [completedTask], usage, times }, measured);
  void completed.publish(batch("b"), { error: "out of memory", times }, measured);
  assert.deepEqual(recorded, [
    [3, 2],
    [3, undefined],
  ]);
});

test("reports name the last batches that ended, and no more than their limit", () => {
  const { completed } = open();
  for (let index = 0; index <= finishedBatchesMax; index++) completed.refuse(batch(`${index}`));
  assert.equal(completed.finished.length, finishedBatchesMax);
  assert.equal(completed.finished[0]?.batch, "1");
  assert.equal(completed.has("0" as BatchId), false);
});

const times = { receivedAt: 0 };
const measured = { size: 2, prepareMs: 1, runMs: 3, endedAt: 5, crowds: [] };
const completedTask = { outcome: { kind: "faces", faces: [] } } as unknown as CompletedTask;

function open({ metrics }: Pick<BatchCompletionParts, "metrics"> = {}) {
  const sent: string[] = [];
  const delivered = Promise.withResolvers<void>();
  const history = new BatchHistory();
  let changeCount = 0;
  const lanes = [{ lane: "Dlib/ssd", sizes: [{ size: 1 }, { size: 4 }] }] as unknown as LoadedLane[];
  const completed = new BatchCompletion({
    clock: { now: () => 10 },
    answers: {
      async send(_ends, id) {
        sent.push(id);
        await delivered.promise;
      },
    },
    engine: { lanes },
    metrics,
    spans: new BatchSpans(tracingOff, { worker: "inference-1", pool: "default" }),
    history,
    onChange: () => void changeCount++,
  });
  return { completed, sent, delivered, history, changes: () => changeCount };
}

const batch = (id: string): Batch =>
  ({ id, lane: "Dlib/ssd", predictedRunMs: 3, tasks: [] }) as unknown as Batch;

const state = ({ answering, finished }: BatchCompletion) => ({
  answering: [...answering].map(({ id }) => id as string),
  finished: finished.map(({ batch, end }) => `${batch} ${end}`),
});
