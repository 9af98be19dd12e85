import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { apiKeyKey } from "@faceline/contracts/wire/names";
import { newApiKey, setTeamLimits, storeApiKey } from "./api-keys.ts";
import { connectRedis } from "@faceline/runtime/redis";
import { listApiKeys, listTeamKeys, listTeamNames } from "./team-index.ts";

test("teams that were given keys or limits are listed, without a scan of what is stored", async (t) => {
  const { redis, teams } = await withTwoTeams(t);
  const scans = t.mock.method(redis, "scan");
  const names = new Set(await listTeamNames(redis));
  assert.ok(teams.every((team) => names.has(team)));
  assert.deepEqual(await ownKeys(redis, teams), ["laptop"]);
  assert.equal(scans.mock.callCount(), 0);
});

test("a digest in the set of a team whose key is gone, or belongs to another team, is left out", async (t) => {
  const { redis, teams } = await withTwoTeams(t);
  const [gone, moved] = [newApiKey(), newApiKey()];
  for (const key of [gone, moved]) await storeApiKey(redis, key, { team: teams[0]!, name: "door" });
  await redis.del(apiKeyKey(digestOf(gone)));
  const record = JSON.parse((await redis.get(apiKeyKey(digestOf(moved))))!) as object;
  await redis.set(apiKeyKey(digestOf(moved)), JSON.stringify({ ...record, team: teams[1] }));
  const names = (await listTeamKeys(redis, teams[0]!)).map(({ name }) => name);
  assert.deepEqual(names, ["laptop"]);
});

/** A team with a key, and one with limits alone. */
async function withTwoTeams(t: TestContext) {
  const redis = await connectRedis("REDIS_DURABLE_URL", process.env["REDIS_DURABLE_URL"] ?? "", 1_000);
  t.after(() => redis.disconnect());
  const teams = [`keys-${randomUUID()}`, `limits-${randomUUID()}`];
  await storeApiKey(redis, newApiKey(), { team: teams[0]!, name: "laptop" });
  await setTeamLimits(redis, teams[1]!, { inFlightMax: 2 });
  return { redis, teams };
}

const ownKeys = async (redis: Parameters<typeof listApiKeys>[0], teams: string[]): Promise<string[]> =>
  (await listApiKeys(redis)).filter(({ team }) => teams.includes(team)).map(({ name }) => name);

const digestOf = (key: string): string => createHash("sha256").update(key).digest("hex");
