import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, probeDelayMs } from "./failure.ts";

const failed = (status: number, error: string, retryAfter: string | null = null) => ({
  status,
  body: { error, detail: "What happened.", field: "img2", request_id: "r1" },
  retryAfter,
});

test("an image without a face: words of the page, which image, and no second try", () => {
  const failure = failureOf(failed(400, "no_face_detected"), 0);
  assert.equal(failure.headline, "No face was found in the second image.");
  assert.deepEqual([failure.imageAtFault, failure.requestId, failure.retryAfterS], [1, "r1", undefined]);
});

test("an image is named as the page names it: the API counts candidates from 0, the page from 1", () => {
  const failureIn = (fault: { field: string; index?: number }, label: string) =>
    failureOf(
      {
        status: 400,
        body: { error: "invalid_image", detail: `No face was found in ${label}.`, ...fault },
        retryAfter: null,
      },
      0,
    );
  const failures = [
    failureIn({ field: "img1", index: 0 }, "img1"),
    failureIn({ field: "img2", index: 1 }, "img2"),
    failureIn({ field: "img" }, "img"),
    failureIn({ field: "candidates", index: 2 }, "candidate 2"),
    failureIn({ field: "candidates", index: 12 }, "candidate 12"),
    failureIn({ field: "threshold" }, "threshold"),
  ];
  assert.deepEqual(
    failures.map(({ headline }) => headline),
    [
      "No face was found in the first image.",
      "No face was found in the second image.",
      "No face was found in the image.",
      "No face was found in candidate 3.",
      "No face was found in candidate 13.",
      "No face was found in threshold.",
    ],
  );
  assert.deepEqual(
    failures.map(({ imageAtFault }) => imageAtFault),
    [0, 1, 0, 3, 13, undefined],
  );
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

test("a service that is away is asked for with longer and longer pauses, for about an hour", () => {
  assert.deepEqual([0, 1, 4, 5, 124, 125].map(probeDelayMs), [
    1_000,
    2_000,
    16_000,
    30_000,
    30_000,
    undefined,
  ]);
  const all = Array.from({ length: 125 }, (_, probes) => probeDelayMs(probes)!);
  const minutes = all.reduce((sum, ms) => sum + ms, 0) / 60_000;
  assert.ok(minutes > 55 && minutes < 65, `${minutes} minutes`);
});

test("too many requests and a service that is not ready are two things", () => {
  assert.match(failureOf(failed(503, "queue_full"), 0).headline, /busy/);
  assert.match(failureOf(failed(503, "model_unavailable"), 0).headline, /not ready/);
});
