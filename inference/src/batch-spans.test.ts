import assert from "node:assert/strict";
import test from "node:test";
import { type Tracing, tracingOff } from "@faceline/runtime/tracing/tracing";
import type { FinishedSpan } from "@faceline/contracts/trace/span";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { CompletedTask } from "./answer-outbox.ts";
import { BatchSpans } from "./batch-spans.ts";
import { noUsage } from "./engine/pipeline.ts";
import type { RunUsage } from "./engine/work.ts";

const sampled = `00-${"a".repeat(32)}-${"1".repeat(16)}-01`;
const unsampled = `00-${"b".repeat(32)}-${"2".repeat(16)}-00`;
const ofBatch = `00-${"c".repeat(32)}-${"3".repeat(16)}-01`;
const times = { receivedAt: 0, preparedFrom: 1, preparedUntil: 5, runFrom: 6, ranAt: 46, answeredAt: 48 };
const usage = { ...noUsage, detectMs: 20, alignMs: 5, embedMs: 10, faces: 2 } as unknown as RunUsage;

test("a task that is traced has its steps, and the batch has them once, in its own trace", () => {
  const { spans, exported } = openSpans();
  const batch = batchOf([sampled, unsampled]);
  spans.end(batch, times, { completed: batch.tasks.map(endOf), usage, error: undefined });
  const names = (traceId: string) =>
    exported.filter(({ context }) => context.traceId === traceId).map(({ name }) => name);
  const process = "process faceline.batches.default";
  assert.deepEqual(names("c".repeat(32)), [process, "prepare", "run", "detect", "align", "embed"]);
  const task = ["infer", "prepare", "run", "detect", "align", "embed", "publish answers:{ingress}"];
  assert.deepEqual(names("a".repeat(32)), task);
  assert.deepEqual(names("b".repeat(32)), []);

  const infer = exported.find(({ name }) => name === "infer")!;
  const message = exported.find(({ name }) => name === process)!;
  assert.deepEqual([infer.parentId, infer.links![0]], ["1".repeat(16), message.context]);
  assert.deepEqual([message.parentId, message.kind], ["3".repeat(16), "consumer"]);
  assert.ok(exported.every(({ attributes }) => !Object.values(attributes).includes(undefined)));
  const embed = exported.findLast(({ name }) => name === "embed")!;
  assert.deepEqual([embed.startAt, embed.endAt], [31, 41]);
});

test("a batch whose run failed is an error on the task and on the run, and has no answer", () => {
  const { spans, exported } = openSpans();
  spans.end(batchOf([sampled]), times, { completed: [], usage: undefined, error: "out of memory" });
  const failed = exported.filter(({ error }) => error === "out of memory").map(({ name }) => name);
  assert.deepEqual(failed, ["process faceline.batches.default", "run", "infer", "run"]);
  assert.ok(!exported.some(({ name }) => name.startsWith("publish")));
});

test("a batch that is not traced has no spans", () => {
  const { spans, exported } = openSpans();
  const { traceparent: _none, ...batch } = batchOf([unsampled]);
  spans.end(batch, times, { completed: batch.tasks.map(endOf), usage, error: undefined });
  assert.deepEqual(exported, []);
});

function openSpans() {
  const exported: FinishedSpan[] = [];
  const tracing: Tracing = { ...tracingOff, on: true, export: (spans) => void exported.push(...spans) };
  return { spans: new BatchSpans(tracing, { worker: "inference-1", pool: "default" }), exported };
}

function batchOf(traceparents: string[]): Batch {
  const tasks = traceparents.map((traceparent, index) => ({
    id: `a/nnnnnnnnnnnnnnnn/${index}`,
    ingress: "ingress-1",
    traceparent,
  }));
  return { id: "batcher-1/1", lane: "Dlib/ssd", attempt: 1, traceparent: ofBatch, tasks } as unknown as Batch;
}

const endOf = (task: Batch["tasks"][number]): CompletedTask =>
  ({ task, outcome: { kind: "faces", faces: [] } }) as unknown as CompletedTask;
