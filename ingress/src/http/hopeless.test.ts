import assert from "node:assert/strict";
import { test } from "node:test";
import { stage, stagePool } from "../stage.ts";

const waitMs = 400;
const busy = { ...stagePool, lanes: stagePool.lanes.map((lane) => ({ ...lane, expectedWaitMs: waitMs })) };
const headers = { "content-type": "application/json" };
// A body that could not be read shows whether it was.
const broken = "{";

test("/represent whose deadline no lane can meet is refused before its body is read", async (t) => {
  const { post } = stage(t, { poolStates: () => [busy] });
  const refused = await post("/represent", broken, { ...headers, "x-request-timeout-ms": `${waitMs}` });
  assert.deepEqual(
    [refused.statusCode, refused.json().error, refused.headers["retry-after"]],
    [503, "queue_timeout", "1"],
  );
  const patient = await post("/represent", broken, { ...headers, "x-request-timeout-ms": "5000" });
  assert.equal(patient.json().error, "invalid_json");
});

test("/verify and /compare may be vectors alone, which need no worker", async (t) => {
  const { post } = stage(t, { poolStates: () => [] });
  assert.equal((await post("/represent", broken, headers)).json().error, "model_unavailable");
  assert.equal((await post("/verify", { img1: [1, 0], img2: [1, 0] })).statusCode, 200);
  assert.equal((await post("/compare", { vector: [1, 0], candidates: [[1, 0]] })).statusCode, 200);
});
