import assert from "node:assert/strict";
import test from "node:test";
import type { Log } from "@faceline/runtime/log";
import { type LogFields, DedupedLog } from "@faceline/runtime/deduped-log";
import type { Answer } from "@faceline/contracts/wire/answer";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import { noWait } from "@faceline/contracts/wire/timing";
import { answerWith, facesAnswer, testRecord } from "../../testing/server.ts";
import { ApiError } from "./api-error.ts";
import { refusal } from "./refusal-cause.ts";
import { logCall, sentenceFor } from "./call-log.ts";

const shed = { kind: "shed", reason: "early_drop", predictedMs: 511.6, retryAfterMs: 1 } as const;
const attempts = (count: number, answer: Answer): Answer => ({
  ...answer,
  timing: { ...noWait, attempts: count, retryMs: 1_034, prepareMs: 0, runMs: 0, answerMs: 0 },
});

for (const [name, how, sentence] of [
  ["answered", { answer: facesAnswer([1, 0]), status: 200 }, /^answered$/],
  ["shed", { answer: answerWith(shed), status: 503 }, /shed by the batcher, early_drop: .* in 512 ms/],
  ["expired", { answer: answerWith({ kind: "expired", lateByMs: 3 }), status: 504 }, /late: .* 3 ms after/],
  ["failed", { answer: failed("run_failed"), status: 502 }, /failed in 3 attempts: run_failed/],
  ["late", { error: new ApiError("upstream_timeout", "It is over."), status: 504 }, /late: .*It is over/],
  ["retried", { answer: attempts(2, facesAnswer([1, 0])), status: 200 }, /attempt 2: 1034 ms went/],
  ["refused", { error: new ApiError("queue_full", "Too much."), status: 503 }, /refused, .*: Too much/],
  ["gone", { status: undefined }, /the client left after 7 ms/],
] satisfies [string, Ended, RegExp][]) {
  test(`the log line of a call says in one sentence how it ended: ${name}`, () => {
    assert.match(sentenceFor(ended(how)), sentence);
  });
}

test("calls that were not served leave one line for each reason, and the number of further ones", () => {
  const { lines, call, flush } = openLogs();
  call("first", { error: new ApiError("upstream_failed", "A reason."), status: 502 });
  call("second", { error: new ApiError("upstream_failed", "A reason."), status: 502 });
  call("third", { error: new ApiError("queue_full", "Too many: 7."), status: 503 });
  call("fourth", { error: new ApiError("queue_full", "Too many: 8."), status: 503 });
  call("fifth", { answer: answerWith(shed), status: 503 });
  call("sixth", { status: undefined });
  const unavailable = refusal("kafka");
  call("seventh", { error: unavailable, cause: "Kafka is away", status: 503 });
  call("eighth", { error: refusal("redis-volatile"), status: 503 });
  assert.deepEqual(lines.splice(0), [
    "warn a request was not served: upstream_failed, first",
    "info a request was not served: queue_full, third",
    "info a request was not served: early_drop, fifth",
    "info a client left before its response: disconnected, sixth",
    "warn a request was not served: Kafka is away, seventh",
    "warn a request was not served: dependency_unavailable: redis-volatile, eighth",
  ]);
  flush();
  assert.deepEqual(lines, [
    "warn a request was not served (repeated): upstream_failed, second",
    "info a request was not served (repeated): queue_full, fourth",
  ]);
});

test("the line of a call names its team, and further ones count those of each team", () => {
  const { fields, call, flush } = openLogs();
  const refused = { error: new ApiError("rate_limited", "Too many."), status: 429 };
  for (const team of ["ants", "bees", "ants", "~visitors"]) call("any", { ...refused, team });
  flush();
  assert.deepEqual(
    fields.map(({ team, teams }) => team ?? teams),
    ["ants", ["bees", "ants", "~visitors"].map((each) => ({ team: each, repeated: 1 }))],
  );
});

test("a call of more than a second leaves a line, whose reason is the longest part of its time", () => {
  const { lines, call } = openLogs("info");
  const answer = facesAnswer([1, 0]);
  const timing = { ...answer.timing, queueMs: 600, prepareMs: 401 };
  call("slow", { answer: { ...answer, timing }, status: 200 }, 1_001);
  call("quick", { answer: { ...answer, timing }, status: 200 }, 1_000);
  assert.deepEqual(lines, ["info a request was slow: queue, slow"]);
});

test("a call that was served leaves a line at debug only, and so does a bug, which is logged as one", () => {
  const { lines, call } = openLogs();
  call("first", { answer: facesAnswer([1, 0]), status: 200 });
  call("second", { error: new ApiError("invalid_request", "No."), status: 400 });
  call("third", { error: new ApiError("internal_error", "A bug."), status: 500 });
  assert.ok(lines.length === 3 && lines.every((line) => line.startsWith("debug ")), lines.join());
});

function openLogs(logLevel = "debug") {
  const lines: string[] = [];
  const written: LogFields[] = [];
  const writer = (level: string) => (fields: LogFields, sentence: string) => {
    written.push(fields);
    const ids = [fields.reason, fields.request_id, ...(fields.request_ids ?? [])];
    lines.push(`${level} ${sentence}: ${ids.filter(Boolean).join(", ")}`);
  };
  const levels = Object.fromEntries(["debug", "info", "warn"].map((level) => [level, writer(level)]));
  const repeated = new DedupedLog(levels as unknown as Log);
  const log = {
    isLevelEnabled: (level: string) => level !== "debug" || logLevel === level,
    debug: levels["debug"] as unknown as Log["debug"],
    info: repeated.info.bind(repeated),
    warn: repeated.warn.bind(repeated),
  };
  return {
    lines,
    fields: written,
    call: (requestId: string, how: Ended, tookMs?: number) => {
      const call = ended(how, tookMs);
      logCall(log, { ...call, record: Object.assign(call.record, { requestId }) });
    },
    flush: () => repeated[Symbol.dispose](),
  };
}

function failed(reason: Extract<Outcome, { kind: "failed" }>["reason"]): Answer {
  return attempts(3, answerWith({ kind: "failed", reason }));
}

function ended({ answer, error, cause, status, team }: Ended, tookMs = 7) {
  const record = testRecord(() => 0);
  record.tenant = team;
  if (answer !== undefined) record.answered(answer);
  for (const step of ["admission", "gather"] as const) record.end(step);
  record.error = error;
  record.cause = cause;
  return { record, endedAt: tookMs, parts: record.parts(tookMs), status };
}

type Ended = { answer?: Answer; error?: ApiError; cause?: string; team?: string; status: number | undefined };
