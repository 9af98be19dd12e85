import assert from "node:assert/strict";
import { test } from "node:test";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { soonestPool } from "./admission.ts";

const pool = (name: string, lane: string, expectedWaitMs: number, workers = 1, waiting = 0): PoolState =>
  ({
    pool: name,
    lanes: [{ lane, workers, waiting, expectedWaitMs, expectedRunMs: 40 }],
  }) as unknown as PoolState;

const states = [pool("a", "Dlib/ssd", 500), pool("b", "Dlib/ssd", 100), pool("c", "Dlib/ssd", 0, 0)];
const [ssd, tiny] = [new Set(["Dlib/ssd"]), new Set(["Dlib/tiny"])];

test("of the pools that have a worker for the lane, the one that would be done first", () => {
  assert.equal(soonestPool(states, ssd, 1_000, 1_140), "b");
});

test("of pools that would be done alike, the one with fewer waiting for each worker", () => {
  const alike = [
    pool("a", "Dlib/ssd", 9, 1, 8),
    pool("b", "Dlib/ssd", 9, 4, 12),
    pool("c", "Dlib/ssd", 9, 1, 4),
  ];
  assert.equal(soonestPool(alike, ssd, 0, 9_000), "b");
});

test("no worker has any of the lanes: model_unavailable", () => {
  assert.throws(() => soonestPool(states, tiny, 0, 9_000), { code: "model_unavailable" });
  assert.throws(() => soonestPool([], ssd, 0, 9_000), { code: "model_unavailable" });
});

test("done a millisecond too late: queue_timeout, and when to come again", () => {
  assert.throws(() => soonestPool(states, ssd, 1_000, 1_139), {
    code: "queue_timeout",
    about: { retryAfterMs: 100 },
  });
});
