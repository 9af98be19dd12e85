import assert from "node:assert/strict";
import { test } from "node:test";
import { retryDelayMs } from "./retries.ts";

const first = { attempt: 1, attemptsMax: 4, remainingMs: 60_000 };
const busy = { status: 503, code: "queue_full", retryAfterMs: 2_000 } as const;
const broken = { status: 0, code: "unreachable", retryAfterMs: undefined } as const;

test("a call that was refused for now is retried after Retry-After, never sooner", () => {
  assert.equal(retryDelayMs(busy, first, 0), 2_000);
  assert.equal(retryDelayMs(busy, first, 1), 2_200);
  assert.equal(retryDelayMs({ ...busy, status: 429, code: "rate_limited" }, first, 0), 2_000);
});

test("a broken connection is retried with a back-off that doubles up to a maximum, with jitter", () => {
  const delays = [1, 2, 3, 8].map((attempt) =>
    retryDelayMs(broken, { ...first, attempt, attemptsMax: 9 }, 0),
  );
  assert.deepEqual(delays, [100, 200, 400, 2_500]);
  assert.equal(retryDelayMs(broken, first, 1), 200);
});

test("there are no more attempts than attemptsMax, and none that the call has no time for", () => {
  assert.equal(retryDelayMs(busy, { ...first, attempt: 4 }, 0), undefined);
  assert.equal(retryDelayMs(busy, { ...first, remainingMs: 2_000 }, 0), undefined);
  assert.equal(retryDelayMs(busy, { ...first, remainingMs: 2_001 }, 0), 2_000);
});

test("no other error is retried", () => {
  for (const [status, code] of [
    [400, "invalid_request"],
    [401, "invalid_api_key"],
    [500, "internal_error"],
    [502, "upstream_failed"],
    [504, "upstream_timeout"],
    [0, "timeout"],
    [502, "unexpected_response"],
  ] as const) {
    assert.equal(retryDelayMs({ status, code, retryAfterMs: 1 }, first, 0), undefined, code);
  }
});
