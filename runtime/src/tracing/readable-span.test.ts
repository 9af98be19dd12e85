import assert from "node:assert/strict";
import test from "node:test";
import { SpanKind } from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { FinishedSpan } from "@faceline/contracts/trace/span";
import { readableSpan } from "./readable-span.ts";

const origin = { resource: resourceFromAttributes({}), instrumentationScope: { name: "faceline" } };
const context = { traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: false, tracestate: "vendor=1" };
const span: FinishedSpan = {
  name: "queue",
  kind: "consumer",
  context,
  parentId: "c".repeat(16),
  startAt: 1_763_800_000_000.25,
  endAt: 1_763_800_000_020.5,
  attributes: { "faceline.lane": "Dlib/ssd", "faceline.reason": undefined },
  links: [{ ...context, spanId: "d".repeat(16), sampled: true }],
  error: "shed: early_drop",
};

test("a span has the ids, times and attributes that it was made with", () => {
  const read = readableSpan(span, origin);
  assert.deepEqual(
    [read.spanContext().spanId, read.parentSpanContext?.spanId],
    ["b".repeat(16), "c".repeat(16)],
  );
  assert.equal(read.spanContext().traceState?.serialize(), "vendor=1");
  // It is exported although its head was not sampled.
  assert.equal(read.spanContext().traceFlags, 1);
  assert.deepEqual(
    [read.startTime, read.endTime],
    [
      [1_763_800_000, 250_000],
      [1_763_800_000, 20_500_000],
    ],
  );
  assert.deepEqual(read.attributes, { "faceline.lane": "Dlib/ssd" });
  assert.deepEqual([read.kind, read.status], [SpanKind.CONSUMER, { code: 2, message: "shed: early_drop" }]);
  assert.deepEqual(
    read.links.map((link) => [link.context.spanId, link.context.traceFlags]),
    [["d".repeat(16), 1]],
  );
});

test("attributes are copied only to leave out undefined ones", () => {
  const attributes = { "faceline.lane": "Dlib/ssd", "faceline.batch.size": 4 };
  assert.equal(readableSpan({ ...span, attributes }, origin).attributes, attributes);
});

test("the duration of a span is between its ends, also over the turn of a second", () => {
  const { duration } = readableSpan({ ...span, startAt: 1_999.75, endAt: 3_000.25 }, origin);
  assert.deepEqual(duration, [1, 500_000]);
});

test("a span whose clocks disagree ends no earlier than it began", () => {
  const { startTime, endTime } = readableSpan({ ...span, endAt: span.startAt - 3 }, origin);
  assert.deepEqual(endTime, startTime);
});
