import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../refusal.ts";
import { stageKey } from "../stage.ts";
import { KeyRing } from "./key-ring.ts";

const limits = { KEY_CACHE_MS: 30_000, KEY_CACHE_WITHOUT_REDIS_MS: 600_000, KEYS_CACHED_MAX: 2 };

test("Keys are cached 30 s, and calls that come together ask once", async () => {
  const { ring, redis } = ringed();
  await Promise.all([ring.find("a"), ring.find("a")]);
  redis.now = 29_999;
  await ring.find("a");
  assert.deepEqual(redis.asked, ["a"]);
  redis.now = 30_000;
  await ring.find("a");
  assert.deepEqual(redis.asked, ["a", "a"]);
});

test("a key that is revoked is forgotten, and an unknown one is never kept", async () => {
  const { ring, redis } = ringed();
  await ring.find("a");
  redis.now = 30_000;
  redis.keys.delete("a");
  assert.equal(await ring.find("a"), null);
  assert.equal(await ring.find("a"), null);
  assert.deepEqual(redis.asked, ["a", "a", "a"]);
});

test("while the durable Redis is away, known keys go on for 10 minutes and unknown ones get 503", async () => {
  const { ring, redis } = ringed();
  await ring.find("a");
  redis.away = true;
  redis.now = 599_999;
  assert.equal(await ring.find("a"), stageKey);
  await assert.rejects(ring.find("b"), { code: "dependency_unavailable" });
  redis.now = 600_000;
  await assert.rejects(ring.find("a"), { code: "dependency_unavailable" });
});

test("the ring holds so many keys; the oldest goes first", async () => {
  const { ring, redis } = ringed();
  for (const sha256 of ["a", "b", "c", "b", "c", "a"]) await ring.find(sha256);
  assert.deepEqual(redis.asked, ["a", "b", "c", "a"]);
});

test("a key that was revoked is asked for at once, and does not go on while Redis is away", async () => {
  const { ring, redis } = ringed();
  await ring.find("a");
  ring.forget("a");
  await ring.find("a");
  assert.deepEqual(redis.asked, ["a", "a"]);
  ring.forget("a");
  redis.away = true;
  await assert.rejects(ring.find("a"), { code: "dependency_unavailable" });
});

test("keys that are in doubt are asked for again, and go on while Redis is away", async () => {
  const { ring, redis } = ringed();
  await ring.find("a");
  ring.doubt("bees");
  await ring.find("a");
  assert.deepEqual(redis.asked, ["a"]);
  ring.doubt("ants");
  redis.away = true;
  assert.equal(await ring.find("a"), stageKey);
  redis.away = false;
  await ring.find("a");
  assert.deepEqual(redis.asked, ["a", "a"]);
});

test("what was asked for before a key was revoked is not kept", async () => {
  const { ring, redis } = ringed();
  const looking = ring.find("a");
  ring.forget("a");
  await looking;
  await ring.find("a");
  assert.deepEqual(redis.asked, ["a", "a"]);
});

function ringed() {
  const redis = { now: 0, away: false, asked: [] as string[], keys: new Set(["a", "b", "c"]) };
  const findKey = async (sha256: string) => {
    if (redis.away) throw new Refusal("dependency_unavailable", "Redis is away.");
    redis.asked.push(sha256);
    return redis.keys.has(sha256) ? stageKey : null;
  };
  return { ring: new KeyRing({ clock: { now: () => redis.now }, findKey }, limits), redis };
}
