import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { KeyChange } from "@faceline/contracts/stored/api-key";
import { apiKeyKey, keyChangesChannel } from "@faceline/contracts/wire/names";
import {
  changeApiKey,
  findApiKey,
  newApiKey,
  recordKeysUsed,
  revokeApiKey,
  setTeamLimits,
  storeApiKey,
  teamLimits,
} from "./api-keys.ts";
import { connectRedis } from "@faceline/runtime/redis";
import { subscribeDurable } from "@faceline/runtime/redis-subscription";
import { listApiKeys } from "./team-index.ts";

const url = process.env["REDIS_DURABLE_URL"] ?? "";

test("a key is stored under its SHA-256, and Redis never holds the key itself", async (t) => {
  const { redis, team } = await durable(t);
  const key = newApiKey();
  assert.match(key, /^fl_[A-Za-z0-9_-]{43}$/);
  assert.equal(await storeApiKey(redis, key, { team, name: "laptop" }), true);
  const stored = await redis.get(apiKeyKey(digestOf(key)));
  assert.ok(stored?.includes(key.slice(0, 12)) && !stored.includes(key.slice(0, 13)));

  const record = await findApiKey(redis, digestOf(key));
  assert.deepEqual([record?.key.team, record?.key.name, record?.key.disabled], [team, "laptop", false]);
  assert.equal(await findApiKey(redis, digestOf(`${key}x`)), null);
});

test("the keys of a team are listed by age, with the time of their last use", async (t) => {
  const { redis, team } = await durable(t);
  const keys = [newApiKey(), newApiKey()];
  for (const [i, key] of keys.entries()) {
    await storeApiKey(redis, key, { team, name: `key ${i}` });
    // Keys of the same millisecond have no order.
    for (const storedAt = Date.now(); Date.now() === storedAt; ) await setImmediate();
  }
  await recordKeysUsed(redis, new Map([[digestOf(keys[1]!), 1_800_000_000_000]]));
  const own = (await listApiKeys(redis)).filter((each) => each.team === team);
  assert.deepEqual(
    own.map(({ name, lastUsedAt, sha256 }) => [name, lastUsedAt, sha256]),
    [
      ["key 0", null, digestOf(keys[0]!)],
      ["key 1", 1_800_000_000_000, digestOf(keys[1]!)],
    ],
  );
});

test("a revoked key stays revoked when it is stored again, and the revocation is published", async (t) => {
  const { redis, team } = await durable(t);
  const notice = Promise.withResolvers<Buffer>();
  await using _subscription = await subscribeDurable(
    { REDIS_DURABLE_URL: url, REDIS_COMMAND_MS: 1_000 },
    [keyChangesChannel],
    notice.resolve,
    () => {},
  );
  const key = newApiKey();
  await storeApiKey(redis, key, { team, name: "laptop" });
  const [listed] = (await listApiKeys(redis)).filter((each) => each.team === team);
  await revokeApiKey(redis, listed!);
  assert.equal(await storeApiKey(redis, key, { team, name: "laptop" }), false);
  assert.equal((await findApiKey(redis, digestOf(key)))?.key.disabled, true);
  assert.deepEqual(KeyChange.parse(JSON.parse((await notice.promise).toString())), { sha256: digestOf(key) });
});

test("a revocation among renames that are under way is never lost", async (t) => {
  const { redis, team } = await durable(t);
  for (let round = 0; round < 50; round++) {
    const key = newApiKey();
    await storeApiKey(redis, key, { team, name: "laptop" });
    const stored = { sha256: digestOf(key) };
    const rename = (_: unknown, i: number) => changeApiKey(redis, stored, { name: `name ${i}` });
    const before = Array.from({ length: 12 }, rename);
    const revocation = revokeApiKey(redis, stored);
    await Promise.all([...before, revocation, ...Array.from({ length: 12 }, rename)]);
    const { key: record } = (await findApiKey(redis, stored.sha256))!;
    assert.deepEqual([record.disabled, record.name], [true, "name 11"], `round ${round}`);
  }
});

test("a revoked key does not come back, and its end is never put off", async (t) => {
  const { redis, team } = await durable(t);
  const key = newApiKey();
  await storeApiKey(redis, key, { team, name: "laptop" });
  const stored = { sha256: digestOf(key) };
  await changeApiKey(redis, stored, { disabled: true, expiresAt: 2_000 });
  await changeApiKey(redis, stored, { disabled: false, expiresAt: 3_000 });
  const { key: record } = (await findApiKey(redis, stored.sha256))!;
  assert.deepEqual([record.disabled, record.expiresAt], [true, 2_000]);
  await changeApiKey(redis, stored, { expiresAt: 1_000 });
  assert.equal((await findApiKey(redis, stored.sha256))?.key.expiresAt, 1_000);
});

test("a change keeps what this release does not know, and every digit of a time", async (t) => {
  const { redis, team } = await durable(t);
  const key = newApiKey();
  await storeApiKey(redis, key, { team, name: "laptop" });
  const name = apiKeyKey(digestOf(key));
  const record = {
    ...(JSON.parse((await redis.get(name))!) as object),
    createdAt: 9_999_999_999_999,
    of: "x",
  };
  await redis.set(name, JSON.stringify(record));
  await changeApiKey(redis, { sha256: digestOf(key) }, { name: "Büro/🗝" });
  assert.deepEqual(JSON.parse((await redis.get(name))!), { ...record, name: "Büro/🗝" });
});

test("limits that are set at the same time hold together", async (t) => {
  const { redis, team } = await durable(t);
  await Promise.all([
    setTeamLimits(redis, team, { requestsPerSecond: 5 }),
    setTeamLimits(redis, team, { inFlightMax: 2 }),
    setTeamLimits(redis, team, { bodyBytesPerSecond: 1_000_000_000_000 }),
  ]);
  const limits = { requestsPerSecond: 5, inFlightMax: 2, bodyBytesPerSecond: 1_000_000_000_000 };
  assert.deepEqual(await teamLimits(redis, team), limits);
});

/** A connection, and a team that no other test uses. */
async function durable(t: TestContext) {
  const redis = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
  t.after(() => redis[Symbol.asyncDispose]());
  return { redis, team: `team-${randomUUID()}` };
}

const digestOf = (key: string): string => createHash("sha256").update(key).digest("hex");
