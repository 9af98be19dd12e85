import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { newProcessId } from "@faceline/runtime/process-lifecycle";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/runtime/redis";
import type { LimitOverrides } from "@faceline/contracts/stored/team";
import { inFlightKey } from "@faceline/contracts/wire/names";
import { base64Image, facesAnswer, testKeyRecord, testServer, waitUntil } from "../../testing/server.ts";
import { CallLimiter } from "./call-limiter.ts";
import { RequestRateLimiter } from "./request-rate-limiter.ts";

const config = readConfig(VolatileRedisConfig, process.env);
const vectors = { model_name: "SFace", img1: [1, 0], img2: [1, 0] };
const image = await base64Image();
const rate = { requestsPerSecond: 5, requestsBurst: 10 };
const off = { requestsPerSecond: 0, requestsBurst: 0, inFlightMax: 0 };

test("the first call of a process may come while a pipeline is open", async () => {
  await using redis = await connectVolatileRedis(config);
  const limiter = new RequestRateLimiter(redis);
  const [, { retryAfterMs }] = await Promise.all([redis.get("a"), limiter.consume(randomUUID(), rate)]);
  assert.equal(retryAfterMs, null);
});

test("two ingress processes share the rate of a team: the burst, then one call a second", async (t) => {
  const { ingress } = await teamWithLimits(t, { ...off, requestsPerSecond: 1, requestsBurst: 10 });
  const [one, other] = [await ingress(), await ingress()];
  const startedAt = performance.now();
  const calls = await Promise.all(
    Array.from({ length: 30 }, (_, i) => (i % 2 ? one : other).post("/verify", vectors)),
  );
  const refilled = Math.ceil((performance.now() - startedAt) / 1_000);
  const passed = calls.filter(({ statusCode }) => statusCode === 200).length;
  assert.ok(passed >= 10 && passed <= 10 + refilled, `${passed} of a burst of 10 passed`);
  const remaining = calls.map(({ headers }) => Number(headers["ratelimit-remaining"]));
  assert.deepEqual([Math.max(...remaining), Math.min(...remaining)], [9, 0]);
  assert.ok(calls.every(({ headers }) => Number(headers["ratelimit-limit"]) === 10));
});

test("a call after Retry-After is admitted", async (t) => {
  const { ingress } = await teamWithLimits(t, { ...off, requestsPerSecond: 1, requestsBurst: 2 });
  const { post } = await ingress();
  for (let round = 0; round < 2; round++) {
    const refused = await firstRefusal(() => post("/verify", vectors));
    assert.equal(refused.json().error, "rate_limited");
    assert.ok(Number(refused.headers["ratelimit-reset"]) >= Number(refused.headers["retry-after"]));
    await new Promise((resolve) => setTimeout(resolve, Number(refused.headers["retry-after"]) * 1_000));
    assert.equal((await post("/verify", vectors)).statusCode, 200);
  }
});

test("other teams are not affected, and 0 means not limited", async (t) => {
  const flooded = await (
    await teamWithLimits(t, { ...off, requestsPerSecond: 1, requestsBurst: 1 })
  ).ingress();
  await firstRefusal(() => flooded.post("/verify", vectors));
  const other = await (await teamWithLimits(t, { ...off, requestsPerSecond: 1, requestsBurst: 1 })).ingress();
  assert.equal((await other.post("/verify", vectors)).statusCode, 200);
  const free = await (await teamWithLimits(t, { ...off, requestsPerSecond: 1 })).ingress();
  const calls = await Promise.all(Array.from({ length: 20 }, () => free.post("/verify", vectors)));
  assert.ok(calls.every(({ statusCode, headers }) => statusCode === 200 && !("ratelimit-limit" in headers)));
});

test("two ingress processes share the calls in flight of a team; a call that ends frees a slot in both", async (t) => {
  const { ingress } = await teamWithLimits(t, { ...off, inFlightMax: 3 });
  const [one, other] = [await ingress(), await ingress()];
  const held = [one.hold(), one.hold(), other.hold()];
  await Promise.all(held.map(({ begun }) => begun));
  for (const { post } of [one, other]) {
    const refused = await post("/verify", vectors);
    assert.deepEqual([refused.statusCode, refused.json().error], [429, "rate_limited"]);
    assert.equal(refused.headers["retry-after"], "1");
  }
  held[0]!.end();
  assert.equal((await held[0]!.response).statusCode, 200);
  await waitUntilAdmitted(() => other.post("/verify", vectors));
  for (const { end, response } of held) {
    end();
    await response;
  }
});

test("the calls of a dead ingress process are no longer counted after seconds", async (t) => {
  const { ingress } = await teamWithLimits(t, { ...off, inFlightMax: 2 });
  const [dying, other] = [await ingress(), await ingress()];
  // The other process continues reporting its own call.
  const held = [dying.hold(), other.hold()];
  await Promise.all(held.map(({ begun }) => begun));
  assert.equal((await other.post("/verify", vectors)).statusCode, 429);
  dying.redis.disconnect();
  await waitUntilAdmitted(() => other.post("/verify", vectors));
  for (const { end, response } of held) {
    end();
    await response;
  }
});

test("the calls of a living ingress process are counted for as long as they take", async (t) => {
  const { ingress, redis, team } = await teamWithLimits(t, { ...off, inFlightMax: 1 });
  const [one, other] = [await ingress(), await ingress()];
  const held = one.hold();
  await held.begun;
  // As if its reports had expired: the next one restores the count.
  assert.equal(await redis.del(inFlightKey(team)), 1);
  await waitUntil(
    "the call is counted",
    async () => (await other.post("/verify", vectors)).statusCode === 429,
  );
  held.end();
  await held.response;
});

test("while Redis is unreachable every ingress process counts alone", async (t) => {
  const { ingress } = await teamWithLimits(t, { requestsPerSecond: 1, requestsBurst: 5, inFlightMax: 2 });
  const alone = await ingress();
  alone.redis.disconnect();
  const held = [alone.hold(), alone.hold()];
  await Promise.all(held.map(({ begun }) => begun));
  assert.equal((await alone.post("/verify", vectors)).statusCode, 429);
  for (const { end, response } of held) {
    end();
    await response;
  }
  assert.equal((await alone.post("/verify", vectors)).statusCode, 200);
  await firstRefusal(() => alone.post("/verify", vectors));
});

/** A team with these limits, and servers that share the real Redis. */
async function teamWithLimits(t: TestContext, limits: LimitOverrides) {
  const team = `team-${randomUUID()}`;
  const redis = await connection(t);
  const ingress = async () => {
    const redis = await connection(t);
    const limiter = new CallLimiter(redis, newProcessId("ingress"));
    t.after(() => limiter[Symbol.asyncDispose]());
    /** Calls by request id, because concurrent calls may be dispatched in any order. */
    const held = new Map<string, { begin(): void; ended: Promise<void> }>();
    const { post } = testServer(t, {
      findKey: async () => ({ key: { ...testKeyRecord.key, team }, limits }),
      acquireTeamSlot: (team, limits) => limiter.acquire(team, limits),
      dispatch: async ({ images, requestId }) => {
        held.get(requestId)?.begin();
        await held.get(requestId)?.ended;
        return images.map(() => facesAnswer([1, 0]));
      },
    });
    /** A call that is in flight from `begun` until `end()`. */
    const hold = () => {
      const begun = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      const id = randomUUID();
      held.set(id, { begin: begun.resolve, ended: ended.promise });
      return {
        response: post("/represent", { img: image }, { "x-request-id": id }),
        begun: begun.promise,
        end: () => ended.resolve(),
      };
    };
    return { post, hold, redis };
  };
  return { ingress, redis, team };
}

async function connection(t: TestContext) {
  const redis = await connectVolatileRedis(config);
  t.after(() => redis[Symbol.asyncDispose]());
  return redis;
}

/** Calls until one is refused, and returns that response. */
async function firstRefusal<T extends { statusCode: number }>(call: () => Promise<T>): Promise<T> {
  let response = await call();
  await waitUntil("a call is refused", async () => (response = await call()).statusCode === 429);
  return response;
}

const waitUntilAdmitted = (call: () => Promise<{ statusCode: number }>) =>
  waitUntil("a call is admitted", async () => (await call()).statusCode === 200);
