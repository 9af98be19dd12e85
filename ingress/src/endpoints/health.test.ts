import assert from "node:assert/strict";
import { test } from "node:test";
import { HealthResponse } from "@faceline/contracts/http/health";
import { testPool, testServer } from "../../testing/server.ts";
import type { Ports } from "../call/ports.ts";
import { type RefusalCause, refusals } from "../call/refusal-cause.ts";

const lane = { workers: 2, waiting: 3, expected_wait_ms: 12 };

test("GET /health: 200 ok with its checks, without a key", async (t) => {
  const response = await testServer(t).app.inject("/health");
  assert.equal(response.statusCode, 200);
  const { version, revision, ...health } = HealthResponse.strict().parse(response.json());
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.match(revision ?? "", /^([0-9a-f]{40})?$/);
  assert.deepEqual(health, {
    status: "ok",
    checks: { kafka: "ok", redis: "ok", redis_durable: "ok", pools: { default: { "SFace/auto": lane } } },
  });
});

test("GET /health: the builds of a lane count together", async (t) => {
  const [one] = testPool.lanes;
  const lanes = [
    one!,
    { ...one!, expectedWaitMs: 5 },
    { ...one!, workers: 0, waiting: 0, expectedWaitMs: 1 },
  ];
  const response = await testServer(t, { poolStates: () => [{ ...testPool, lanes }] }).app.inject("/health");
  const together = { workers: 4, waiting: 6, expected_wait_ms: 5 };
  assert.deepEqual(response.json().checks.pools.default, { "SFace/auto": together });
});

test("GET /health: without the durable Redis it says so, and stays ok: keys are cached", async (t) => {
  const dependencyHealth = () => ({ kafka: true, redis: true, redisDurable: false, hasTopics: true });
  const response = await testServer(t, { dependencyHealth }).app.inject("/health");
  const { status, checks } = HealthResponse.parse(response.json());
  assert.deepEqual([response.statusCode, status, checks.redis_durable], [200, "ok", "unavailable"]);
});

test("GET /health: 503 degraded if a compute call could not be served", async (t) => {
  const idle = { ...testPool, lanes: testPool.lanes.map((lane) => ({ ...lane, workers: 0 })) };
  const up = { kafka: true, redis: true, redisDurable: true, hasTopics: true };
  const failures: [Partial<Ports>, RefusalCause][] = [
    [{ dependencyHealth: () => ({ ...up, kafka: false }) }, "kafka"],
    [{ dependencyHealth: () => ({ ...up, redis: false }) }, "redis-volatile"],
    [{ poolStates: () => [] }, "batcher"],
    [{ poolStates: () => [idle] }, "workers"],
    [{ isServing: () => false }, "stopping"],
  ];
  for (const [failure, cause] of failures) {
    const { app, post } = testServer(t, failure);
    const response = await app.inject("/health");
    const { status, refusal } = HealthResponse.parse(response.json());
    const { code: error, detail, retryAfterMs, ...rest } = refusals[cause];
    assert.deepEqual([response.statusCode, status, refusal], [503, "degraded", { error, detail, ...rest }]);
    assert.equal(response.headers["retry-after"], `${retryAfterMs / 1_000}`);
    // A call without anything to go by says the same.
    if (failure.poolStates === undefined && failure.isServing === undefined) continue;
    const problem = (await post("/represent", {})).json();
    assert.deepEqual(
      [problem.error, problem.dependency, problem.detail],
      [error, refusal!.dependency, detail],
    );
  }
});

test("/livez is always 200; /readyz is 503 while the process does not serve", async (t) => {
  let serving = true;
  const { app, post } = testServer(t, { isServing: () => serving });
  assert.equal((await app.inject("/readyz")).statusCode, 200);
  serving = false;
  assert.equal((await app.inject("/livez")).statusCode, 200);
  const refused = await app.inject("/readyz");
  assert.deepEqual([refused.statusCode, refused.json().error], [503, "not_ready"]);
  assert.equal((await post("/verify", {})).json().error, "not_ready");
});

test("/readyz is 503 as soon as the process must stop, while it still accepts calls", async (t) => {
  const { app, post } = testServer(t, { isStopping: () => true });
  const refused = await app.inject("/readyz");
  assert.deepEqual([refused.statusCode, refused.json().error], [503, "not_ready"]);
  assert.notEqual((await post("/verify", {})).json().error, "not_ready");
});

test("/readyz is 503 while Kafka or Redis does not answer, and calls that need neither are served", async (t) => {
  const up = { kafka: true, redis: true, redisDurable: true, hasTopics: true };
  for (const [down, dependency] of [
    [{ kafka: false }, "kafka"],
    [{ redis: false }, "redis-volatile"],
  ] as const) {
    const { app, post } = testServer(t, { dependencyHealth: () => ({ ...up, ...down }) });
    const refused = await app.inject("/readyz");
    assert.deepEqual([refused.statusCode, refused.json().dependency], [503, dependency]);
    assert.equal((await post("/verify", { img1: [1, 0], img2: [1, 0] })).statusCode, 200);
  }
});
