import assert from "node:assert/strict";
import test from "node:test";
import { tracingOff } from "@faceline/runtime/tracing/tracing";
import type { Batch, BatchId } from "@faceline/contracts/wire/batch";
import { finishedBatchesMax, type LoadedLane } from "@faceline/contracts/wire/report";
import type { TaskEnd } from "./answer-outbox.ts";
import { BatchEnds, type BatchEndsParts } from "./batch-ends.ts";
import { nothingRun } from "./batch-report.ts";
import { BatchSpans } from "./batch-spans.ts";
import type { RunFacts } from "./engine/work.ts";
import { BatchHistory } from "./live/batch-history.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

test("a batch is answering until its answers are delivered, and has finished then", async () => {
  const { ends, sent, delivered, changes } = open();
  const published = ends.publish(batch("a"), { ends: [taskEnd], times }, measured);
  assert.deepEqual(state(ends), { answering: ["a"], finished: [] });
  assert.deepEqual(sent, ["a"]);
  assert.equal(ends.has("a" as BatchId), true);
  delivered.resolve();
  await published;
  assert.deepEqual(state(ends), { answering: [], finished: ["a answered"] });
  assert.equal(ends.has("a" as BatchId), true);
  assert.equal(changes(), 1);
});

test("a batch that failed finishes at once, without answers", () => {
  const { ends, sent } = open();
  void ends.publish(batch("a"), { error: "out of memory", times }, nothingRun(5));
  assert.deepEqual(state(ends), { answering: [], finished: ["a failed"] });
  assert.deepEqual(sent, []);
});

test("a batch that is refused is no run of the live page", async () => {
  const { ends, history, delivered } = open();
  delivered.resolve();
  ends.refuse(batch("a"));
  await ends.publish(batch("b"), { ends: [taskEnd], times }, measured);
  void ends.publish(batch("c"), { error: "out of memory", times }, measured);
  assert.deepEqual(state(ends).finished, ["a refused", "b answered", "c failed"]);
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
  const { ends, delivered } = open({ metrics });
  delivered.resolve();
  const facts = { runMs: 4, cpuMs: 2 } as unknown as RunFacts;
  await ends.publish(batch("a"), { ends: [taskEnd], facts, times }, measured);
  void ends.publish(batch("b"), { error: "out of memory", times }, measured);
  assert.deepEqual(recorded, [
    [3, 2],
    [3, undefined],
  ]);
});

test("reports name the last batches that ended, and no more than their limit", () => {
  const { ends } = open();
  for (let index = 0; index <= finishedBatchesMax; index++) ends.refuse(batch(`${index}`));
  assert.equal(ends.finished.length, finishedBatchesMax);
  assert.equal(ends.finished[0]?.batch, "1");
  assert.equal(ends.has("0" as BatchId), false);
});

const times = { receivedAt: 0 };
const measured = { size: 2, prepareMs: 1, runMs: 3, endedAt: 5, crowds: [] };
const taskEnd = { outcome: { kind: "faces", faces: [] } } as unknown as TaskEnd;

function open({ metrics }: Pick<BatchEndsParts, "metrics"> = {}) {
  const sent: string[] = [];
  const delivered = Promise.withResolvers<void>();
  const history = new BatchHistory();
  let changeCount = 0;
  const lanes = [{ lane: "Dlib/ssd", sizes: [{ size: 1 }, { size: 4 }] }] as unknown as LoadedLane[];
  const ends = new BatchEnds({
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
  return { ends, sent, delivered, history, changes: () => changeCount };
}

const batch = (id: string): Batch =>
  ({ id, lane: "Dlib/ssd", predictedRunMs: 3, tasks: [] }) as unknown as Batch;

const state = ({ answering, finished }: BatchEnds) => ({
  answering: [...answering].map(({ id }) => id as string),
  finished: finished.map(({ batch, end }) => `${batch} ${end}`),
});
