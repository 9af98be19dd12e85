// Covers pools beside each other, and the loss of the Redis of one.
import assert from "node:assert/strict";
import test from "node:test";
import { isDeepStrictEqual } from "node:util";
import { HealthResponse } from "@faceline/contracts/http/health";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { runConcurrently } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";
import { startVolatileServer } from "./stack/redis-servers.ts";

const engine = { ENGINE: "model:50+0b", BATCH_MAX: "1" };

test("two pools, the second with a Redis of its own", async (t) => {
  const redis = await startVolatileServer(t);
  const first = await startStack(t, { ingress: 0, settings: engine });
  const second = await startStack(t, {
    ingress: 0,
    settings: engine,
    ownSettings: {
      batcher: redis.access("batcher"),
      inference: redis.access("inference"),
    },
  });
  const both = await startStack(t, {
    workers: 0,
    batchers: 0,
    settings: {
      POOLS: `${first.pool},${second.pool}`,
      POOL_REDIS_VOLATILE_URLS: `${second.pool}=${redis.addressFor("ingress")}`,
    },
  });
  const [portrait = Buffer.alloc(0)] = await portraits();
  const img = portrait.toString("base64");
  const callBoth = async () => {
    const calls = [...Array(20).keys()];
    const statuses = await runConcurrently({ inFlightMax: 4 }, calls, async () => {
      return (await both.post("/represent", { img })).status;
    });
    assert.deepEqual(statuses, Array(20).fill(200));
  };
  const knownPools = async () => {
    const response = await fetch(`${both.address}/health`);
    return Object.keys(HealthResponse.parse(await response.json()).checks.pools).toSorted();
  };
  await waitUntil("both pools are known", async () => (await knownPools()).length === 2);

  await t.test("both serve calls", callBoth);

  await t.test("without the Redis of the second pool, all calls go to the first", async () => {
    await redis.kill();
    const left = [first.pool];
    await waitUntil("the second pool is left out", async () => isDeepStrictEqual(await knownPools(), left));
    await callBoth();
  });
});
