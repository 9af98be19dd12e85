import assert from "node:assert/strict";
import test from "node:test";
import type { Answer } from "@faceline/contracts/wire/answer";
import { LaneId } from "@faceline/contracts/wire/ids";
import { noWait } from "@faceline/contracts/wire/timing";
import { answerWith, facesAnswer, testRecord } from "../../testing/server.ts";
import { ApiError } from "./api-error.ts";
import { callSpans } from "./call-spans.ts";
import type { EndedCall } from "./ports.ts";

const timing: Answer["timing"] = {
  ...noWait,
  attempts: 1,
  queueMs: 20,
  prepareMs: 5,
  runMs: 60,
  answerMs: 1,
  publishedAt: 90,
};

test("the spans of a sampled call are its own steps, below the client's span", () => {
  const spans = spansOf(endedCall({ answer: facesAnswer([1, 0]), status: 200 }));
  const [root, ...others] = spans;
  assert.deepEqual(
    spans.map(({ name }) => name),
    ["POST /verify", "validate", "gather"],
  );
  assert.deepEqual([root!.parentId, root!.kind, root!.error], ["c".repeat(16), "server", undefined]);
  assert.ok(others.every(({ parentId, context }) => parentId === root!.context.spanId && context.sampled));
  assert.equal(root!.attributes["faceline.time.total_ms"], 100);
  assert.equal(root!.attributes["faceline.deadline_ms"], 2_000);
});

test("an attribute of a sampled call that was answered is undefined only if the call never learned it", () => {
  const call = endedCall({ answer: facesAnswer([1, 0]), status: 200 });
  call.record.lane = LaneId.parse("Dlib/ssd");
  call.record.pool = "default";
  for (const step of ["images", "send"] as const) call.record.begin(step);
  for (const step of ["images", "send"] as const) call.record.end(step);
  const spans = spansOf(call);
  assert.equal(spans.length, 5);
  assert.deepEqual(
    spans.map(({ attributes }) => attributes["server.address"] ?? ""),
    ["faces.example", "", "redis-default", "", ""],
  );
  assert.ok(spans.every(({ attributes }) => !Object.values(attributes).includes(undefined)));
});

test("images are set as a pipeline where there are several, and the scheme is the client's", () => {
  for (const [images, name] of [
    [1, "SET"],
    [2, "PIPELINE SET"],
  ] as const) {
    const call = endedCall({ answer: facesAnswer([1, 0]), status: 200 });
    call.record.images = images;
    call.record.begin("images");
    const [root, , set] = spansOf(call);
    assert.deepEqual([root!.attributes["url.scheme"], set!.name], ["http", name]);
    assert.equal(set!.attributes["db.operation.batch.size"], images === 1 ? undefined : 2);
  }
});

test("a call that is not sampled has no spans if it was answered at once", () => {
  assert.deepEqual(spansOf(endedCall({ answer: facesAnswer([1, 0]), status: 200, sampled: false })), []);
  const refused = new ApiError("invalid_request", "No.");
  assert.deepEqual(spansOf(endedCall({ error: refused, status: 400, sampled: false })), []);
});

test("a call that was retried, shed, late or failed is traced all the same, with the parts of its answer", () => {
  const shed = { kind: "shed", reason: "early_drop", predictedMs: 9, retryAfterMs: 1 } as const;
  const late = new ApiError("upstream_timeout", "It is over.");
  for (const [kept, how] of [
    ["retried", { answer: { ...facesAnswer([1, 0]), timing: { ...timing, attempts: 2 } }, status: 200 }],
    ["shed", { answer: answerWith(shed), status: 503 }],
    ["failed", { answer: answerWith({ kind: "failed", reason: "run_failed" }), status: 502 }],
    ["late", { error: late, status: 504 }],
  ] as const) {
    const [root] = spansOf(endedCall({ ...how, sampled: false }));
    assert.equal(root?.attributes["faceline.kept"], kept);
  }
  const retried = { ...facesAnswer([1, 0]), timing: { ...timing, attempts: 2 } };
  const parts = spansOf(endedCall({ answer: retried, status: 200, sampled: false }));
  assert.deepEqual(
    parts.map(({ name, startAt, endAt }) => [name, startAt, endAt]),
    [
      ["POST /verify", 0, 100],
      ["validate", 0, 100],
      ["answer", 89, 90],
      ["run", 29, 89],
      ["prepare", 24, 29],
      ["queue", 4, 24],
      ["gather", 0, 100],
    ],
  );
});

test("the request to another system that a call failed on is a failed span, with its error.type", () => {
  const error = new ApiError("dependency_unavailable", "Redis is away.");
  const failedOn = (step: "images" | "send") => {
    const call = endedCall({ error, status: 503 });
    call.record.begin("images");
    if (step === "send") {
      call.record.end("images");
      call.record.begin("send");
    }
    return spansOf(call)
      .filter(({ kind }) => kind === "client" || kind === "producer")
      .map((span) => [
        span.attributes["db.system.name"],
        span.attributes["error.type"],
        span.error !== undefined,
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

const spansOf = (call: EndedCall) => callSpans(call, servers);

function endedCall({ answer, error, status, sampled = true }: Ended) {
  const record = testRecord(() => 0, sampled);
  if (answer !== undefined) record.answered(answer);
  record.error = error;
  return { record, endedAt: 100, parts: record.parts(100), status };
}

type Ended = { answer?: Answer; error?: ApiError; status: number; sampled?: boolean };
