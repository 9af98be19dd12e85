import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, unreachable } from "./failure.ts";

const failed = (status: number, error: string, retryAfter: string | null = null) => ({
  status,
  body: { error, detail: "What happened.", field: "img2", request_id: "r1" },
  retryAfter,
});

test("a picture without a face: the words of the service, the field, and no second try", () => {
  const failure = failureOf(failed(400, "no_face_detected"), 0);
  assert.equal(failure.headline, "What happened.");
  assert.deepEqual([failure.field, failure.requestId, failure.retryAfterS], ["img2", "r1", undefined]);
});

test("a picture is named as the page names it", () => {
  const headlineOf = (field: string) =>
    failureOf(
      {
        status: 400,
        body: { error: "invalid_image", detail: `No face in ${field}.`, field },
        retryAfter: null,
      },
      0,
    ).headline;
  assert.deepEqual(["img1", "img2", "candidates[2]", "threshold"].map(headlineOf), [
    "No face in the first picture.",
    "No face in the second picture.",
    "No face in candidate 3.",
    "No face in threshold.",
  ]);
});

test("a rate limit is waited for each time, as long as the service says, and at most a minute", () => {
  assert.equal(failureOf(failed(429, "rate_limited", "7"), 5).retryAfterS, 7);
  assert.equal(failureOf(failed(429, "rate_limited", "3600"), 0).retryAfterS, 60);
  assert.equal(failureOf(failed(429, "rate_limited", "0"), 0).retryAfterS, 3);
  assert.equal(failureOf(failed(429, "rate_limited"), 0).retryAfterS, 3);
});

test("a busy service is tried twice more", () => {
  const waits = [0, 1, 2].map((retries) => failureOf(failed(503, "queue_full", "2"), retries).retryAfterS);
  assert.deepEqual(waits, [2, 2, undefined]);
});

test("an answer that is not of the service still has words", () => {
  const failure = failureOf({ status: 502, body: {}, retryAfter: null }, 0);
  assert.match(failure.headline, /status 502/);
  assert.deepEqual([failure.code, failure.requestId], [undefined, undefined]);
});

test("a tester that was turned off says so", () => {
  assert.match(failureOf(failed(404, "not_found"), 0).explanation, /turned the tester off/);
});

test("offline and unreachable have words of their own", () => {
  assert.match(unreachable(false).headline, /offline/);
  assert.match(unreachable(true).headline, /cannot be reached/);
});

test("too many calls and a service that is not ready are two things", () => {
  assert.match(failureOf(failed(503, "queue_full"), 0).headline, /busy/);
  assert.match(failureOf(failed(503, "model_unavailable"), 0).headline, /not ready/);
});
