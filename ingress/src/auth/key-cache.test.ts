import assert from "node:assert/strict";
import { test } from "node:test";
import { testKeyRecord } from "../../testing/server.ts";
import { dependencyUnavailable } from "../call/refusal-cause.ts";
import { KeyCache } from "./key-cache.ts";

test("a key is cached for 30 s, and concurrent calls share one lookup", async () => {
  const { cache, redis } = cacheOverRedis();
  await Promise.all([cache.find("a"), cache.find("a")]);
  redis.now = 29_999;
  await cache.find("a");
  assert.deepEqual(redis.lookups, ["a"]);
  redis.now = 30_000;
  await cache.find("a");
  assert.deepEqual(redis.lookups, ["a", "a"]);
});

test("a key that no longer exists is dropped, and an unknown key is never cached", async () => {
  const { cache, redis } = cacheOverRedis();
  await cache.find("a");
  redis.now = 30_000;
  redis.keys.delete("a");
  assert.equal(await cache.find("a"), null);
  assert.equal(await cache.find("a"), null);
  assert.deepEqual(redis.lookups, ["a", "a", "a"]);
});

test("while the durable Redis is unreachable, cached keys work for 10 minutes and others get 503", async () => {
  const { cache, redis } = cacheOverRedis();
  await cache.find("a");
  redis.unreachable = true;
  redis.now = 599_999;
  assert.equal(await cache.find("a"), testKeyRecord);
  await assert.rejects(cache.find("b"), { code: "dependency_unavailable" });
  redis.now = 600_000;
  await assert.rejects(cache.find("a"), { code: "dependency_unavailable" });
});

test("cached keys work likewise while this process has too little CPU for responses of the durable Redis", async () => {
  const { cache, redis } = cacheOverRedis();
  await cache.find("a");
  redis.unreachable = true;
  redis.isStarved = true;
  redis.now = 599_999;
  assert.equal(await cache.find("a"), testKeyRecord);
  await assert.rejects(cache.find("b"), { code: "queue_full" });
});

test("the cache holds `keysMax` keys and evicts the oldest", async () => {
  const { cache, redis } = cacheOverRedis();
  for (const sha256 of ["a", "b", "c", "b", "c", "a"]) await cache.find(sha256);
  assert.deepEqual(redis.lookups, ["a", "b", "c", "a"]);
});

test("a removed key is looked up at once, and does not work while Redis is unreachable", async () => {
  const { cache, redis } = cacheOverRedis();
  await cache.find("a");
  cache.remove("a");
  await cache.find("a");
  assert.deepEqual(redis.lookups, ["a", "a"]);
  cache.remove("a");
  redis.unreachable = true;
  await assert.rejects(cache.find("a"), { code: "dependency_unavailable" });
});

test("invalidated keys are looked up again, and work while Redis is unreachable", async () => {
  const { cache, redis } = cacheOverRedis();
  await cache.find("a");
  cache.invalidate("bees");
  await cache.find("a");
  assert.deepEqual(redis.lookups, ["a"]);
  cache.invalidate("ants");
  redis.unreachable = true;
  assert.equal(await cache.find("a"), testKeyRecord);
  redis.unreachable = false;
  await cache.find("a");
  assert.deepEqual(redis.lookups, ["a", "a"]);
});

test("a durable Redis that flaps does not shorten the 10 minutes of cached keys", async () => {
  const { cache, redis } = cacheOverRedis();
  await cache.find("a");
  redis.unreachable = true;
  for (let reconnects = 0; reconnects < 20; reconnects++) cache.invalidate();
  redis.now = 599_999;
  assert.equal(await cache.find("a"), testKeyRecord);
  redis.now = 600_000;
  await assert.rejects(cache.find("a"), { code: "dependency_unavailable" });
});

test("while the durable Redis hangs, only the first call with an old cached key waits for it", async () => {
  const { cache, redis } = cacheOverRedis();
  await cache.find("a");
  redis.now = 30_000;
  const timeOut = redis.hang();
  const first = cache.find("a");
  timeOut();
  assert.equal(await first, testKeyRecord);
  // From here on no lookup ends: a call that waited for one would never end either.
  redis.hang();
  for (let calls = 0; calls < 3; calls++) assert.equal(await cache.find("a"), testKeyRecord);
  assert.deepEqual(redis.lookups, ["a", "a", "a"], "one lookup at a time goes on in the background");
});

test("once the durable Redis answers in the background, old cached keys are looked up again", async () => {
  const { cache, redis } = cacheOverRedis();
  await cache.find("a");
  await cache.find("b");
  redis.now = 30_000;
  redis.unreachable = true;
  await cache.find("a");
  redis.unreachable = false;
  redis.keys.clear();
  assert.equal(await cache.find("a"), testKeyRecord);
  await new Promise(setImmediate);
  assert.deepEqual([await cache.find("a"), await cache.find("b")], [null, null]);
});

test("after a change notice no cached key is used before it was read again from the durable Redis", async () => {
  const { cache, redis } = cacheOverRedis();
  await cache.find("a");
  redis.now = 30_000;
  redis.unreachable = true;
  await cache.find("a");
  redis.unreachable = false;
  redis.keys.clear();
  cache.invalidate();
  assert.equal(await cache.find("a"), null);
});

test("the result of a lookup that began before a removal is not cached", async () => {
  const { cache, redis } = cacheOverRedis();
  const looking = cache.find("a");
  cache.remove("a");
  await looking;
  await cache.find("a");
  assert.deepEqual(redis.lookups, ["a", "a"]);
});

function cacheOverRedis() {
  let hanging: Promise<void> | undefined;
  const unreachable = () => dependencyUnavailable("redis-durable", redis.isStarved);
  const redis = {
    now: 0,
    unreachable: false,
    isStarved: false,
    lookups: [] as string[],
    keys: new Set(["a", "b", "c"]),
    /** Makes lookups hang until the returned function lets them fail. */
    hang() {
      const { promise, reject } = Promise.withResolvers<void>();
      hanging = promise;
      return () => reject(unreachable());
    },
  };
  const findKey = async (sha256: string) => {
    if (redis.unreachable) throw unreachable();
    redis.lookups.push(sha256);
    await hanging;
    return redis.keys.has(sha256) ? testKeyRecord : null;
  };
  return { cache: new KeyCache({ clock: { now: () => redis.now }, findKey }, { keysMax: 2 }), redis };
}
