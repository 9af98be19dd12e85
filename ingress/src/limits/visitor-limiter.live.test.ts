import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { newProcessId } from "@faceline/runtime/process-lifecycle";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/runtime/redis";
import { inFlightKey, rateKeyPrefix } from "@faceline/contracts/wire/names";
import { waitUntil } from "../../testing/server.ts";
import type { CallSlot } from "../call/ports.ts";
import { openVisitorLimiter, type VisitorLimiter } from "./visitor-limiter.ts";

const config = readConfig(VolatileRedisConfig, process.env);

test("two ingress processes share the rate of an address: the burst, then one a minute", async (t) => {
  const limits = { requestsPerMinute: 1, requestsBurst: 5 };
  const [one, other] = [await ingress(t, limits), await ingress(t, limits)];
  const address = newAddress();
  const startedAt = performance.now();
  const slots: CallSlot[] = [];
  for (let i = 0; i < 10; i++) {
    const slot = await (i % 2 ? one : other).limiter.acquire(address);
    slot.release();
    slots.push(slot);
  }
  const refilled = Math.ceil((performance.now() - startedAt) / 60_000);
  const admitted = slots.filter(({ error }) => error === undefined).length;
  assert.ok(admitted >= 5 && admitted <= 5 + refilled, `${admitted} of a burst of 5 were admitted`);
  const refused = slots.find(({ error }) => error !== undefined)!;
  assert.deepEqual(
    [refused.error!.code, refused.rate!.limit, refused.rate!.remaining],
    ["rate_limited", 5, 0],
  );
  assert.ok(refused.error!.details.retryAfterMs! > 0 && refused.error!.details.retryAfterMs! <= 60_000);
  assert.match(refused.error!.message, /one address may send 1 requests per minute/);
  const neighbour = await one.limiter.acquire(newAddress());
  assert.equal(neighbour.error, undefined);
  neighbour.release();
});

test("calls in flight of all addresses together are limited over all ingress processes", async (t) => {
  const limits = { ...anyRate, allInFlightMax: 2 };
  const [one, other] = [await ingress(t, limits), await ingress(t, limits)];
  const held = [await admitted(one.limiter, newAddress()), await admitted(other.limiter, newAddress())];
  const waiting = newAddress();
  const { error } = await one.limiter.acquireShared(waiting);
  assert.match(error!.message, /^2 requests from visitors are in flight/);
  assert.equal(error!.code, "rate_limited");
  held[0]!.release();
  (await admitted(other.limiter, waiting)).release();
  held[1]!.release();
});

test("a network of many addresses gets half of the slots, and the last ones go to networks that have none", async (t) => {
  const { limiter } = await ingress(t, { ...anyRate, allInFlightMax: 8 });
  const acquireAll = async (network: number) => {
    const hosts = Array.from({ length: 12 }, (_, host) => limiter.acquireShared(`203.0.${network}.${host}`));
    return (await Promise.all(hosts)).filter(({ error }) => error === undefined);
  };
  // Slots of other tests may be held for some seconds more.
  await waitUntil("four networks share the slots", async () => {
    const held = [await acquireAll(1), await acquireAll(2), await acquireAll(3), await acquireAll(4)];
    for (const { release } of held.flat()) release();
    return held.map(({ length }) => length).join() === "4,2,1,1";
  });
});

test("the state is in the volatile Redis, under names that no team can have, and expires", async (t) => {
  const { limiter, redis } = await ingress(t, {});
  const address = newAddress();
  const slot = await limiter.acquire(address);
  for (const key of [`${rateKeyPrefix}:~visitors/${address}`, inFlightKey(`~visitors/${address}`)]) {
    const leftMs = await redis.pttl(key);
    assert.ok(leftMs > 0 && leftMs <= 60_000, `${key}: ${leftMs} ms`);
  }
  slot.release();
});

test("while the volatile Redis is unreachable calls are refused with dependency_unavailable", async (t) => {
  const { limiter, redis } = await ingress(t, {});
  redis.disconnect();
  const { error, release } = await limiter.acquire(newAddress());
  assert.deepEqual([error!.code, error!.details.retryAfterMs], ["dependency_unavailable", 1_000]);
  release();
});

async function ingress(t: TestContext, limits: Parameters<typeof openVisitorLimiter>[2]) {
  const redis = await connectVolatileRedis(config);
  const limiter = openVisitorLimiter(redis, newProcessId("ingress"), limits);
  t.after(async () => {
    await limiter[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });
  return { limiter, redis };
}

/**
 * A slot for a call of this address. All visitors of a Redis are counted together, those of other tests
 * included, so a call may have to wait for theirs to end.
 */
async function admitted(limiter: VisitorLimiter, address: string): Promise<CallSlot> {
  let slot = await limiter.acquireShared(address);
  await waitUntil("a call is admitted", async () => {
    if (slot.error !== undefined) slot = await limiter.acquireShared(address);
    return slot.error === undefined;
  });
  return slot;
}

const anyRate = { requestsPerMinute: 100_000, requestsBurst: 100_000 };

const newAddress = (): string =>
  `2001:db8:${randomBytes(2).toString("hex")}:${randomBytes(2).toString("hex")}::/64`;
