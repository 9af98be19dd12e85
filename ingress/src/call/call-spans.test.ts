import assert from "node:assert/strict";
import test from "node:test";
import { type SpanContext, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Answer } from "@faceline/contracts/wire/answer";
import { LaneId } from "@faceline/contracts/wire/ids";
import { recordSpans } from "@faceline/runtime/testing/recorded-spans";
import { answerWith, clientSpan, facesAnswer, testNow, testRecord } from "../../testing/server.ts";
import { ApiError } from "./api-error.ts";
import { exportCall } from "./call-spans.ts";

test("the spans of a sampled call are its own steps, below the client's span", () => {
  const call = newCall({ answer: facesAnswer([1, 0]) });
  const [root, ...steps] = call.end(200);
  assert.deepEqual(
    [root!, ...steps].map(({ name }) => name),
    ["POST /verify", "validate", "gather"],
  );
  const { status, parentSpanContext, kind, attributes } = root!;
  assert.deepEqual([parentSpanContext?.spanId, kind], [clientSpan.spanId, SpanKind.SERVER]);
  assert.equal(status.code, SpanStatusCode.UNSET);
  const { spanId } = root!.spanContext();
  assert.ok(steps.every(({ parentSpanContext }) => parentSpanContext?.spanId === spanId));
  assert.equal(attributes["faceline.time.total_ms"], 100);
  assert.equal(attributes["faceline.deadline_ms"], 2_000);
});

test("the span that sends the tasks has the ids that the tasks carry, and each request its server", () => {
  const { record, end } = newCall({ answer: facesAnswer([1, 0]) });
  record.lane = LaneId.parse("SFace/auto");
  record.pool = "default";
  const { spanId } = record.sendContext;
  for (const step of ["images", "send"] as const) {
    record.begin(step);
    record.end(step);
  }
  const spans = end(200);
  assert.deepEqual(
    spans.map(({ attributes }) => attributes["server.address"] ?? ""),
    ["faces.example", "", "redis-default", "", ""],
  );
  assert.equal(spans.find(({ kind }) => kind === SpanKind.PRODUCER)!.spanContext().spanId, spanId);
});

test("images are set as a pipeline where there are several, and the scheme is the client's", () => {
  for (const [images, name] of [
    [1, "SET"],
    [2, "PIPELINE SET"],
  ] as const) {
    const { record, end } = newCall({ answer: facesAnswer([1, 0]) });
    record.images = images;
    record.begin("images");
    const [root, , set] = end(200);
    assert.deepEqual([root!.attributes["url.scheme"], set!.name], ["http", name]);
    assert.equal(set!.attributes["db.operation.batch.size"], images === 1 ? undefined : 2);
  }
});

test("a call that is not sampled has no spans if it was answered at once", () => {
  const unsampled = { sampled: false };
  assert.deepEqual(newCall({ answer: facesAnswer([1, 0]), ...unsampled }).end(200), []);
  assert.deepEqual(newCall({ error: new ApiError("invalid_request", "No."), ...unsampled }).end(400), []);
});

test("a call that was retried, shed, late or failed is traced all the same, under the ids of its response", () => {
  const shed = { kind: "shed", reason: "early_drop", predictedMs: 9, retryAfterMs: 1 } as const;
  const late = new ApiError("upstream_timeout", "It is over.");
  const { timing } = facesAnswer([1, 0]);
  for (const [kept, status, how] of [
    ["retried", 200, { answer: { ...facesAnswer([1, 0]), timing: { ...timing, attempts: 2 } } }],
    ["shed", 503, { answer: answerWith(shed) }],
    ["failed", 502, { answer: answerWith({ kind: "failed", reason: "run_failed" }) }],
    ["late", 504, { error: late }],
  ] as const) {
    const { record, end } = newCall({ ...how, sampled: false });
    const [root, validate] = end(status);
    assert.deepEqual([root?.attributes["faceline.kept"], root?.name], [kept, "POST /verify"]);
    const { traceId, spanId } = root!.spanContext();
    assert.deepEqual({ traceId, spanId }, idsOf(record.trace.context));
    assert.equal(root!.parentSpanContext?.spanId, clientSpan.spanId);
    assert.equal(validate!.parentSpanContext?.spanId, spanId);
  }
});

test("the request to another system that a call failed on is a failed span, with its error.type", () => {
  const error = new ApiError("dependency_unavailable", "Redis is away.");
  const failedOn = (step: "images" | "send") => {
    const { record, end } = newCall({ error });
    record.begin("images");
    if (step === "send") {
      record.end("images");
      record.begin("send");
    }
    return end(503)
      .filter(({ kind }) => kind === SpanKind.CLIENT || kind === SpanKind.PRODUCER)
      .map(({ attributes, status }) => [
        attributes["db.system.name"],
        attributes["error.type"],
        status.message !== undefined,
      ]);
  };
  assert.deepEqual(failedOn("images"), [["redis", "dependency_unavailable", true]]);
  assert.deepEqual(failedOn("send"), [
    ["redis", undefined, false],
    [undefined, "dependency_unavailable", true],
  ]);
});

const servers = {
  http: { "server.address": "faces.example" },
  kafka: { "messaging.system": "kafka" },
  redis: (pool: string) => ({ "db.system.name": "redis", "server.address": `redis-${pool}` }),
};

/** A call, and a function that ends it after 100 ms and returns its spans, the first one first. */
function newCall({
  answer,
  error,
  sampled = true,
}: {
  answer?: Answer;
  error?: ApiError;
  sampled?: boolean;
}) {
  const { start, ended } = recordSpans();
  const unsampled = trace.wrapSpanContext({ ...clientSpan, spanId: "b".repeat(16), traceFlags: 0 });
  const at = { startAt: testNow, kind: SpanKind.SERVER, parent: clientSpan };
  const record = testRecord(() => testNow, sampled ? start("POST /verify", at) : unsampled);
  if (answer !== undefined) record.answered(answer);
  record.error = error;
  const end = (status: number) => {
    const endedAt = testNow + 100;
    exportCall({ start }, { record, endedAt, parts: record.parts(endedAt), status }, servers);
    return [...ended.slice(-1), ...ended.slice(0, -1)];
  };
  return { record, end };
}

const idsOf = ({ traceId, spanId }: SpanContext) => ({ traceId, spanId });
