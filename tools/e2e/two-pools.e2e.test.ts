// Covers pools beside each other: their throughput together, and the loss of the Redis of one.
import assert from "node:assert/strict";
import test from "node:test";
import { isDeepStrictEqual } from "node:util";
import { HealthReply } from "@faceline/contracts/http/health";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { runConcurrently } from "./stack/api-client.ts";
import { startStack, type TestStack } from "./stack/stack.ts";
import { startVolatileServer } from "./stack/volatile-server.ts";

/** 20 pictures a second and pool: its cores are idle, so two pools do not compete for them. */
const engine = { ENGINE: "model:50+0b", BATCH_MAX: "1" };
const roundMs = 6_000;
const rounds = 3;
const inFlightMax = 16;

test("two pools, the second with a Redis of its own", async (t) => {
  const redis = await startVolatileServer(t);
  const first = await startStack(t, { ingress: 0, settings: engine });
  const second = await startStack(t, {
    ingress: 0,
    settings: engine,
    ownSettings: {
      batcher: { REDIS_VOLATILE_URL: redis.addressFor("batcher"), REDIS_VOLATILE_PASSWORD_FILE: "" },
      inference: { REDIS_VOLATILE_URL: redis.addressFor("inference"), REDIS_VOLATILE_PASSWORD_FILE: "" },
    },
  });
  const ingressOf = (settings: Record<string, string>) =>
    startStack(t, { workers: 0, batchers: 0, settings: { TEAM_REQUESTS_PER_SECOND: "0", ...settings } });
  const one = await ingressOf({ POOLS: first.pool });
  const both = await ingressOf({
    POOLS: `${first.pool},${second.pool}`,
    POOL_REDIS_VOLATILE_URLS: `${second.pool}=${redis.addressFor("ingress")}`,
  });
  const [portrait = Buffer.alloc(0)] = await portraits();
  const img = portrait.toString("base64");
  const represent = async ({ post }: TestStack) => (await post("/represent", { img })).status;
  const knownPools = async () => {
    const reply = await fetch(`${both.address}/health`);
    return Object.keys(HealthReply.parse(await reply.json()).checks.pools).toSorted();
  };
  await waitUntil("both pools are known", async () => (await knownPools()).length === 2);

  await t.test("they answer 1.9 times as many calls as one", async (t) => {
    const answered = { one: 0, both: 0 };
    for (let round = 0; round < rounds; round++) {
      answered.one += await answeredWithin(roundMs, () => represent(one));
      answered.both += await answeredWithin(roundMs, () => represent(both));
    }
    const ratio = answered.both / answered.one;
    t.diagnostic(`one pool ${answered.one} calls, two ${answered.both}: ${ratio.toFixed(3)} times as many`);
    assert.ok(ratio >= 1.9, `${ratio}`);
  });

  await t.test("without the Redis of the second pool, all calls go to the first", async () => {
    await redis.kill();
    const left = [first.pool];
    await waitUntil("the second pool is left out", async () => isDeepStrictEqual(await knownPools(), left));
    const statuses = await runConcurrently({ inFlightMax: 4 }, [...Array(20).keys()], () => represent(both));
    assert.deepEqual(statuses, Array(20).fill(200));
  });
});

/** Keeps `inFlightMax` calls in flight for so long. Returns how many were answered within that time. */
async function answeredWithin(ms: number, call: () => Promise<number>): Promise<number> {
  const endAt = performance.now() + ms;
  let answered = 0;
  const client = async () => {
    while (performance.now() < endAt) {
      assert.equal(await call(), 200);
      if (performance.now() < endAt) answered++;
    }
  };
  await Promise.all(Array.from({ length: inFlightMax }, client));
  return answered;
}
