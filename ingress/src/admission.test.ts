import assert from "node:assert/strict";
import { test } from "node:test";
import type { PoolState } from "@faceline/contracts/pool";
import { soonestPool } from "./admission.ts";

const pool = (name: string, lane: string, expectedWaitMs: number, workers = 1): PoolState =>
  ({ pool: name, lanes: [{ lane, workers, expectedWaitMs, expectedRunMs: 40 }] }) as unknown as PoolState;

const states = [pool("a", "Dlib/ssd", 500), pool("b", "Dlib/ssd", 100), pool("c", "Dlib/ssd", 0, 0)];
const [ssd, tiny] = [new Set(["Dlib/ssd"]), new Set(["Dlib/tiny"])];

test("of the pools that have a worker for the lane, the one that would be done first", () => {
  assert.equal(soonestPool(states, ssd, 1_000, 1_140), "b");
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
