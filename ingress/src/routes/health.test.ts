import assert from "node:assert/strict";
import { test } from "node:test";
import { HealthReply } from "@faceline/contracts/http/health";
import { stage, stagePool } from "../stage.ts";

const lane = { workers: 2, waiting: 3, expected_wait_ms: 12 };

test("GET /health: 200 ok with its checks, without a key", async (t) => {
  const reply = await stage(t).app.inject("/health");
  assert.equal(reply.statusCode, 200);
  const { version, ...health } = HealthReply.strict().parse(reply.json());
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.deepEqual(health, {
    status: "ok",
    checks: { kafka: "ok", redis: "ok", pools: { default: { "Dlib/ssd": lane } } },
  });
});

test("GET /health: 503 degraded when it could not serve a compute call", async (t) => {
  const idle = { ...stagePool, lanes: stagePool.lanes.map((lane) => ({ ...lane, workers: 0 })) };
  const troubles = [
    { checks: async () => ({ kafka: false, redis: true }) },
    { checks: async () => ({ kafka: true, redis: false }) },
    { poolStates: () => [] },
    { poolStates: () => [idle] },
    { serving: () => false },
  ];
  for (const trouble of troubles) {
    const reply = await stage(t, trouble).app.inject("/health");
    assert.deepEqual([reply.statusCode, reply.json().status], [503, "degraded"]);
    assert.equal(reply.headers["retry-after"], "1");
  }
});

test("/livez is 200 while the process turns; /readyz follows serving and draining", async (t) => {
  let serving = true;
  const { app, post } = stage(t, { serving: () => serving });
  assert.equal((await app.inject("/readyz")).statusCode, 200);
  serving = false;
  assert.equal((await app.inject("/livez")).statusCode, 200);
  const refused = await app.inject("/readyz");
  assert.deepEqual([refused.statusCode, refused.json().error], [503, "not_ready"]);
  assert.equal((await post("/verify", {})).json().error, "not_ready");
});
