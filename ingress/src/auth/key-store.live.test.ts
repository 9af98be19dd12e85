import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { newApiKey, revokeApiKey, setTeamLimits, storeApiKey } from "@faceline/accounts/keys/api-keys";
import { openLog } from "@faceline/runtime/log";
import { connectRedis } from "@faceline/runtime/redis";
import { listApiKeys } from "@faceline/accounts/keys/team-index";
import { keysLastUsedKey } from "@faceline/contracts/wire/names";
import { testServer, waitUntil } from "../../testing/server.ts";
import { openKeyStore } from "./key-store.ts";

const url = process.env["REDIS_DURABLE_URL"] ?? "";
const vectors = { img1: [1, 0], img2: [1, 0] };
const config = { REDIS_DURABLE_URL: url, REDIS_COMMAND_MS: 1_000 };

test("a revoked key is refused at once by every process that has it cached", async (t) => {
  const { durable, key, team, ingress } = await teamWithKey(t);
  const calls = [await ingress(), await ingress()];
  for (const { call } of calls) assert.equal(await call(), 200);
  const [listed] = (await listApiKeys(durable)).filter((each) => each.team === team);
  await revokeApiKey(durable, listed!);
  for (const { call } of calls) await waitUntil("the key is refused", async () => (await call()) === 403);
  assert.equal(await calls[0]!.call(`${key}x`), 401);
});

test("new limits of a team take effect at once", async (t) => {
  const { durable, team, ingress } = await teamWithKey(t);
  const { call, limits } = await ingress();
  await call();
  await setTeamLimits(durable, team, { inFlightMax: 5 });
  await waitUntil("the new limits are in effect", async () => {
    await call();
    return limits.at(-1) === 5;
  });
  assert.equal(limits[0], 64);
});

test("after its connection broke a process reads keys anew, because notices may be lost", async (t) => {
  const { durable, team, ingress } = await teamWithKey(t);
  const { call } = await ingress();
  await call();
  // Revoked without a notice.
  const [listed] = (await listApiKeys(durable)).filter((each) => each.team === team);
  const entry = JSON.parse((await durable.get(`key:${listed!.sha256}`))!) as object;
  await durable.set(`key:${listed!.sha256}`, JSON.stringify({ ...entry, disabled: true }));
  assert.equal(await call(), 200);
  await durable.call("CLIENT", "KILL", "TYPE", "pubsub");
  await waitUntil("the key is refused", async () => (await call()) === 403);
});

test("when a key was last used is recorded once for many calls", async (t) => {
  const { durable, key, ingress } = await teamWithKey(t);
  const { call, close } = await ingress();
  const sha256 = createHash("sha256").update(key).digest("hex");
  for (let i = 0; i < 3; i++) await call();
  assert.equal(await durable.hget(keysLastUsedKey, sha256), null);
  await close();
  assert.equal(await durable.hget(keysLastUsedKey, sha256), "1800000000000");
});

test("while the durable Redis is unreachable, cached keys work and others get 503", async (t) => {
  const { key, ingress } = await teamWithKey(t);
  const { call, durable } = await ingress();
  await call();
  durable.disconnect();
  assert.deepEqual([await call(), await call(`${key}x`)], [200, 503]);
});

/** A team with one API key, and servers that look it up in the real Redis. */
async function teamWithKey(t: TestContext) {
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
    // It stands still, so a lost notice fails the test: nothing else refreshes the cache.
    const clock = { now: () => 1_800_000_000_000 };
    const keys = await openKeyStore({ durable, config, clock, log: openLog("test", "silent") });
    const close = () => keys[Symbol.asyncDispose]();
    t.after(close);
    const limits: number[] = [];
    const { post } = testServer(t, {
      findKey: keys.find,
      acquireTeamSlot: async (_team, { inFlightMax }) => {
        limits.push(inFlightMax);
        return { release() {} };
      },
    });
    const call = async (apiKey = key) => (await post("/verify", vectors, { "x-api-key": apiKey })).statusCode;
    return { call, close, durable, limits };
  };
  return { durable, key, team, ingress };
}
