import assert from "node:assert/strict";
import { test } from "node:test";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { testPool, testServer } from "../../testing/server.ts";
import { admitToPool } from "./admission.ts";

const pool = (name: string, lane: string, expectedWaitMs: number, workers = 1, waiting = 0): PoolState =>
  ({
    pool: name,
    lanes: [{ lane, workers, waiting, expectedWaitMs, expectedRunMs: 40, taskMs: 40 }],
  }) as unknown as PoolState;

const states = [pool("a", "SFace/auto", 500), pool("b", "SFace/auto", 100), pool("c", "SFace/auto", 0, 0)];
const [auto, blazeface] = [new Set(["SFace/auto"]), new Set(["SFace/blazeface"])];

/** Runs `admitToPool` for pools that this process has sent nothing to. */
const admit = (
  pools: PoolState[],
  lanes: ReadonlySet<string>,
  call: Parameters<typeof admitToPool>[2],
  now: number,
  takeoverMs = 0,
): string => {
  const views = pools.map((state) => ({ state, sentTasks: () => 0, takeoverMs }));
  return admitToPool(views, lanes, call, { now, random: () => 0, own });
};
const own = { isServing: true, kafka: true, redis: true, hasTopics: true };

test("of two pools with a worker for the lane, the one that would finish first", () => {
  assert.equal(admit(states, auto, { deadlineAt: 9_000 }, 1_000), "b");
});

test("a call whose deadline one pool cannot meet goes to the other one", () => {
  assert.equal(admit(states, auto, { deadlineAt: 1_140 }, 1_000), "b");
});

test("without a worker for any of the lanes the call is refused with the cause", () => {
  assert.throws(() => admit(states, blazeface, { deadlineAt: 9_000 }, 0), { code: "model_unavailable" });
  assert.throws(() => admit([], auto, { deadlineAt: 9_000 }, 0), {
    code: "dependency_unavailable",
    details: { dependency: "batcher", retryAfterMs: 1_000 },
  });
});

test("while a standby takes over, calls whose deadline outlives that are sent, others are refused at once", () => {
  const silent = [pool("a", "SFace/auto", 100)];
  assert.equal(admit(silent, auto, { deadlineAt: 6_000 }, 0, 2_000), "a");
  assert.throws(() => admit(silent, auto, { deadlineAt: 2_139 }, 0, 2_000), {
    code: "dependency_unavailable",
    details: { dependency: "batcher", retryAfterMs: 1_000 },
  });
});

test("a millisecond past the deadline: queue_timeout, with the time to retry", () => {
  assert.throws(() => admit(states, auto, { deadlineAt: 1_139 }, 1_000), {
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
  const laterDeadline = await post("/represent", broken, { ...headers, "x-request-timeout-ms": "120000" });
  assert.equal(laterDeadline.json().error, "invalid_json");
});

test("a /verify or a /compare of vectors alone needs no worker", async (t) => {
  const { post } = testServer(t, { poolStates: () => [] });
  assert.equal((await post("/represent", broken, headers)).json().dependency, "batcher");
  assert.equal((await post("/verify", { img1: [1, 0], img2: [1, 0] })).statusCode, 200);
  assert.equal((await post("/compare", { vector: [1, 0], candidates: [[1, 0]] })).statusCode, 200);
});
