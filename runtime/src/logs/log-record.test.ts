import assert from "node:assert/strict";
import test from "node:test";
import { SeverityNumber, trace } from "@opentelemetry/api";
import { logRecordOf } from "./log-record.ts";

const line = {
  level: "warn",
  time: "2026-11-26T09:00:00.123Z",
  service: "faceline-ingress",
  version: "0.1.0",
};

test("a record has the severity, the instant, the sentence and the fields of its line", () => {
  const fields = { reason: "late", request_ids: ["a", "b"], ms: { total: 1.5 } };
  assert.deepEqual(logRecordOf(JSON.stringify({ ...line, ...fields, msg: "a call was refused" })), {
    timestamp: Date.parse("2026-11-26T09:00:00.123Z"),
    severityText: "warn",
    severityNumber: SeverityNumber.WARN,
    body: "a call was refused",
    attributes: fields,
  });
});

test("a record is in the span that its line names", () => {
  const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  const { context, attributes } = logRecordOf(
    JSON.stringify({ ...line, level: "error", trace_id: traceId, span_id: spanId, msg: "a task failed" }),
  );
  assert.deepEqual(trace.getSpanContext(context!), { traceId, spanId, traceFlags: 1 });
  assert.deepEqual(attributes, {});
});
