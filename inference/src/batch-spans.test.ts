import assert from "node:assert/strict";
import test from "node:test";
import { SpanKind } from "@opentelemetry/api";
import { recordSpans, timesSince } from "@faceline/runtime/testing/recorded-spans";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { CompletedTask } from "./answer-outbox.ts";
import { BatchSpans } from "./batch-spans.ts";
import { noUsage } from "./engine/pipeline.ts";
import type { RunUsage } from "./engine/work.ts";

const sampled = `00-${"a".repeat(32)}-${"1".repeat(16)}-01`;
const unsampled = `00-${"b".repeat(32)}-${"2".repeat(16)}-00`;
const ofBatch = `00-${"c".repeat(32)}-${"3".repeat(16)}-01`;
const from = 1_800_000_000_000;
const times = {
  receivedAt: from,
  preparedFrom: from + 1,
  preparedUntil: from + 5,
  runFrom: from + 6,
  ranAt: from + 46,
  answeredAt: from + 48,
};
const usage = { ...noUsage, detectMs: 20, alignMs: 5, embedMs: 10, faces: 2 } as unknown as RunUsage;

test("a task that is traced has its steps, and the batch has them once, in its own trace", () => {
  const { spans, ended } = openSpans();
  const batch = batchOf([sampled, unsampled]);
  spans.end(batch, times, { completed: batch.tasks.map(endOf), usage, error: undefined });
  const names = (traceId: string) =>
    ended
      .filter((span) => span.spanContext().traceId === traceId)
      .map(({ name }) => name)
      .toSorted();
  const process = "process faceline.batches.default";
  assert.deepEqual(names("c".repeat(32)), ["align", "detect", "embed", "prepare", process, "run"]);
  const task = ["align", "detect", "embed", "infer", "prepare", "publish answers:{ingress}", "run"];
  assert.deepEqual(names("a".repeat(32)), task);
  assert.deepEqual(names("b".repeat(32)), []);

  const infer = ended.find(({ name }) => name === "infer")!;
  const message = ended.find(({ name }) => name === process)!;
  assert.deepEqual(
    [infer.parentSpanContext?.spanId, infer.links[0]?.context],
    ["1".repeat(16), message.spanContext()],
  );
  assert.deepEqual([message.parentSpanContext?.spanId, message.kind], ["3".repeat(16), SpanKind.CONSUMER]);
  const embed = ended.findLast(({ name }) => name === "embed")!;
  assert.deepEqual(timesSince(from, embed), [31, 41]);
});

test("a batch whose run failed is an error on the task and on the run, and has no answer", () => {
  const { spans, ended } = openSpans();
  spans.end(batchOf([sampled]), times, { completed: [], usage: undefined, error: "out of memory" });
  const failed = ended.filter(({ status }) => status.message === "out of memory").map(({ name }) => name);
  assert.deepEqual(failed, ["run", "run", "infer", "process faceline.batches.default"]);
  assert.ok(!ended.some(({ name }) => name.startsWith("publish")));
});

test("a batch that is not traced has no spans", () => {
  const { spans, ended } = openSpans();
  const { traceparent: _none, ...batch } = batchOf([unsampled]);
  spans.end(batch, times, { completed: batch.tasks.map(endOf), usage, error: undefined });
  assert.deepEqual(ended, []);
});

function openSpans() {
  const { start, ended } = recordSpans();
  return { spans: new BatchSpans({ start }, { worker: "inference-1", pool: "default" }), ended };
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
