import assert from "node:assert/strict";
import { test } from "node:test";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { testPool, testServer } from "../../testing/server.ts";
import { soonestPool } from "./admission.ts";

const pool = (name: string, lane: string, expectedWaitMs: number, workers = 1, waiting = 0): PoolState =>
  ({
    pool: name,
    lanes: [{ lane, workers, waiting, expectedWaitMs, expectedRunMs: 40 }],
  }) as unknown as PoolState;

const states = [pool("a", "Dlib/ssd", 500), pool("b", "Dlib/ssd", 100), pool("c", "Dlib/ssd", 0, 0)];
const [ssd, tiny] = [new Set(["Dlib/ssd"]), new Set(["Dlib/tiny"])];

test("soonestPool is the pool with a worker for the lane that would finish first", () => {
  assert.equal(soonestPool(states, ssd, 1_000, 1_140), "b");
});

test("of pools that would finish at the same time, the one with fewer waiting tasks per worker", () => {
  const equal = [
    pool("a", "Dlib/ssd", 9, 1, 8),
    pool("b", "Dlib/ssd", 9, 4, 12),
    pool("c", "Dlib/ssd", 9, 1, 4),
  ];
  assert.equal(soonestPool(equal, ssd, 0, 9_000), "b");
});

test("without a worker for any of the lanes: model_unavailable", () => {
  assert.throws(() => soonestPool(states, tiny, 0, 9_000), { code: "model_unavailable" });
  assert.throws(() => soonestPool([], ssd, 0, 9_000), { code: "model_unavailable" });
});

test("a millisecond past the deadline: queue_timeout, with the time to retry", () => {
  assert.throws(() => soonestPool(states, ssd, 1_000, 1_139), {
    code: "queue_timeout",
    details: { retryAfterMs: 100, shed: "deadline_infeasible" },
  });
});

const waitMs = 400;
const busy = { ...testPool, lanes: testPool.lanes.map((lane) => ({ ...lane, expectedWaitMs: waitMs })) };
const headers = { "content-type": "application/json" };
// Its error shows whether the body was read.
const broken = "{";

test("a /represent whose deadline no lane can meet is rejected before its body is read", async (t) => {
  const { post } = testServer(t, { poolStates: () => [busy] });
  const rejected = await post("/represent", broken, { ...headers, "x-request-timeout-ms": `${waitMs}` });
  assert.deepEqual(
    [rejected.statusCode, rejected.json().error, rejected.headers["retry-after"]],
    [503, "queue_timeout", "1"],
  );
  const laterDeadline = await post("/represent", broken, { ...headers, "x-request-timeout-ms": "5000" });
  assert.equal(laterDeadline.json().error, "invalid_json");
});

test("a /verify or a /compare of vectors alone needs no worker", async (t) => {
  const { post } = testServer(t, { poolStates: () => [] });
  assert.equal((await post("/represent", broken, headers)).json().error, "model_unavailable");
  assert.equal((await post("/verify", { img1: [1, 0], img2: [1, 0] })).statusCode, 200);
  assert.equal((await post("/compare", { vector: [1, 0], candidates: [[1, 0]] })).statusCode, 200);
});
