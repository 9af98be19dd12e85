import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import {
  listApiKeys,
  newApiKey,
  revokeApiKey,
  setTeamLimits,
  storeApiKey,
} from "@faceline/contracts/runtime/api-keys";
import { openLog } from "@faceline/contracts/runtime/log";
import { connectRedis } from "@faceline/contracts/runtime/redis";
import { keysLastUsedKey } from "@faceline/contracts/wire/names";
import { openKeys } from "./keys.ts";
import { stage, until } from "./stage.ts";

const url = process.env["REDIS_DURABLE_URL"] ?? "";
const vectors = { img1: [1, 0], img2: [1, 0] };
const config = {
  REDIS_DURABLE_URL: url,
  REDIS_COMMAND_MS: 1_000,
  // A notice that is not heard fails the test: nothing else would heal it in time.
  KEY_CACHE_MS: 600_000,
  KEY_CACHE_WITHOUT_REDIS_MS: 600_000,
  KEYS_CACHED_MAX: 100,
};

test("a key that is revoked is dropped at once from every ingress that knows it", async (t) => {
  const { durable, key, team, ingress } = await scene(t);
  const calls = [await ingress(), await ingress()];
  for (const { call } of calls) assert.equal(await call(), 200);
  const [listed] = (await listApiKeys(durable)).filter((each) => each.team === team);
  await revokeApiKey(durable, listed!);
  for (const { call } of calls) await until("the key is refused", async () => (await call()) === 403);
  assert.equal(await calls[0]!.call(`${key}x`), 401);
});

test("new limits of a team hold at once", async (t) => {
  const { durable, team, ingress } = await scene(t);
  const { call, limits } = await ingress();
  await call();
  await setTeamLimits(durable, team, { inFlightMax: 5 });
  await until("they are heard of", async () => {
    await call();
    return limits.at(-1) === 5;
  });
  assert.equal(limits[0], 64);
});

test("after its connection broke an ingress asks again: notices may have been lost", async (t) => {
  const { durable, team, ingress } = await scene(t);
  const { call } = await ingress();
  await call();
  // Revoked where nobody hears of it.
  const [listed] = (await listApiKeys(durable)).filter((each) => each.team === team);
  const entry = JSON.parse((await durable.get(`key:${listed!.sha256}`))!) as object;
  await durable.set(`key:${listed!.sha256}`, JSON.stringify({ ...entry, disabled: true }));
  assert.equal(await call(), 200);
  await durable.call("CLIENT", "KILL", "TYPE", "pubsub");
  await until("the key is refused", async () => (await call()) === 403);
});

test("when a key was last used is written down once for many calls", async (t) => {
  const { durable, key, ingress } = await scene(t);
  const { call, close } = await ingress();
  const sha256 = createHash("sha256").update(key).digest("hex");
  for (let i = 0; i < 3; i++) await call();
  assert.equal(await durable.hget(keysLastUsedKey, sha256), null);
  await close();
  assert.equal(await durable.hget(keysLastUsedKey, sha256), "1800000000000");
});

test("while the durable Redis is away, known keys go on and unknown ones get 503", async (t) => {
  const { key, ingress } = await scene(t);
  const { call, durable } = await ingress();
  await call();
  durable.disconnect();
  assert.deepEqual([await call(), await call(`${key}x`)], [200, 503]);
});

/** A team with one key, and ingresses that look it up in the real Redis. */
async function scene(t: TestContext) {
  const connection = async () => {
    const redis = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
    t.after(() => redis[Symbol.asyncDispose]());
    return redis;
  };
  const durable = await connection();
  const [key, team] = [newApiKey(), `team-${randomUUID()}`];
  await storeApiKey(durable, key, { team, name: "laptop" });

  const ingress = async () => {
    const durable = await connection();
    const clock = { now: () => 1_800_000_000_000 };
    const keys = await openKeys({ durable, config, clock, log: openLog("test", "silent") });
    const close = () => keys[Symbol.asyncDispose]();
    t.after(close);
    const limits: number[] = [];
    const { post } = stage(t, {
      findKey: keys.find,
      enter: async (_team, { inFlightMax }) => {
        limits.push(inFlightMax);
        return { leave() {} };
      },
    });
    const call = async (given = key) => (await post("/verify", vectors, { "x-api-key": given })).statusCode;
    return { call, close, durable, limits };
  };
  return { durable, key, team, ingress };
}
