import assert from "node:assert/strict";
import test from "node:test";
import { BatchTask, batchTasksMax } from "@faceline/contracts/wire/batch";
import { flushLength, recordBatchBytesMax, recordBytes } from "./kafka-flush.ts";

const message = (bytes: number, partition = 0, topic = "tasks") => ({
  topic,
  partition,
  value: null,
  headers: {},
  bytes,
});

test("all that waits goes together while it fits into one record batch", () => {
  assert.equal(flushLength([]), 0);
  assert.equal(flushLength(Array.from({ length: 900 }, () => message(1_000))), 900);
});

test("a flush ends before the message with which a partition would exceed its record batch", () => {
  assert.equal(flushLength(Array.from({ length: 2_000 }, () => message(1_000))), 900);
  const { length } = Array.from({ length: 1_000 });
  const four = Array.from({ length }, (_, i) => message(3_000, i % 4));
  assert.equal(flushLength(four), length);
  assert.equal(flushLength([message(600_000), message(600_000, 0, "other"), message(600_000)]), 2);
});

test("a message as large as a whole record batch goes alone", () => {
  assert.equal(flushLength([message(recordBatchBytesMax), message(1)]), 1);
  assert.equal(flushLength([message(recordBatchBytesMax + 1), message(1)]), 1);
});

test("the bytes of a message are those of its UTF-8, its headers and the record around them", () => {
  assert.ok(recordBytes({ value: "é".repeat(1_000), headers: {} }) > 2_000);
  assert.ok(recordBytes({ value: null, headers: { reason: "x".repeat(500) } }) > 500);
});

test("the largest batch of tasks fits into one record batch", () => {
  const time = 1_800_000_000_000.123;
  const task = BatchTask.parse({
    id: `${"r".repeat(128)}/${"n".repeat(16)}/50`,
    cost: 160,
    ingress: `${"i".repeat(16)}-0123456789abcdef`,
    arrivedAt: time,
    deadlineAt: time,
    options: { align: false, enforceDetection: false, facesMax: 100, fullResolution: false },
    traceparent: "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01",
    // Each of these characters is escaped in JSON.
    tracestate: '"'.repeat(512),
    waited: { hopMs: time, queueMs: time, holdMs: time, retryMs: time, queuedAt: time, attempts: 9 },
  });
  const bytes = Buffer.byteLength(JSON.stringify(task)) * batchTasksMax;
  assert.ok(bytes < 0.8 * recordBatchBytesMax, `${bytes} bytes`);
});
