import assert from "node:assert/strict";
import test from "node:test";
import type { Answer } from "@faceline/contracts/wire/answer";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import { noWait } from "@faceline/contracts/wire/timing";
import { answerWith, facesAnswer, testRecord } from "../../testing/server.ts";
import { ApiError } from "./api-error.ts";
import { sentenceFor } from "./call-log.ts";

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

function failed(reason: Extract<Outcome, { kind: "failed" }>["reason"]): Answer {
  return attempts(3, answerWith({ kind: "failed", reason }));
}

function ended({ answer, error, status }: Ended) {
  const record = testRecord(() => 0);
  if (answer !== undefined) record.answered(answer);
  record.error = error;
  return { record, endedAt: 7, parts: record.parts(7), status };
}

type Ended = { answer?: Answer; error?: ApiError; status: number | undefined };
