import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseBefore } from "./retries.ts";

const first = { tries: 1, triesMax: 4, leftMs: 60_000 };
const busy = { status: 503, code: "queue_full", retryAfterMs: 2_000 } as const;
const broken = { status: 0, code: "unreachable", retryAfterMs: undefined } as const;

test("refused for now: after what Retry-After says, never sooner", () => {
  assert.equal(pauseBefore(busy, first, 0), 2_000);
  assert.equal(pauseBefore(busy, first, 1), 2_200);
  assert.equal(pauseBefore({ ...busy, status: 429, code: "rate_limited" }, first, 0), 2_000);
});

test("broken on the way: after a back-off that doubles, spread by luck, and has an end", () => {
  const pauses = [1, 2, 3, 8].map((tries) => pauseBefore(broken, { ...first, tries, triesMax: 9 }, 0));
  assert.deepEqual(pauses, [100, 200, 400, 2_500]);
  assert.equal(pauseBefore(broken, first, 1), 200);
});

test("made again so many times, and never past the call's own time", () => {
  assert.equal(pauseBefore(busy, { ...first, tries: 4 }, 0), undefined);
  assert.equal(pauseBefore(busy, { ...first, leftMs: 2_000 }, 0), undefined);
  assert.equal(pauseBefore(busy, { ...first, leftMs: 2_001 }, 0), 2_000);
});

test("whatever else failed is not made again", () => {
  for (const [status, code] of [
    [400, "invalid_request"],
    [401, "invalid_api_key"],
    [409, "idempotency_conflict"],
    [500, "internal_error"],
    [502, "upstream_failed"],
    [504, "upstream_timeout"],
    [0, "timeout"],
    [502, "unexpected_answer"],
  ] as const) {
    assert.equal(pauseBefore({ status, code, retryAfterMs: 1 }, first, 0), undefined, code);
  }
});
