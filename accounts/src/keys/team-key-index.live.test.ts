import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { newApiKey, storeApiKey } from "@faceline/runtime/api-keys";
import { apiKeyKey } from "@faceline/contracts/wire/names";
import { durable } from "../../testing/durable.ts";
import { commandActor } from "../audit/audit-log.ts";
import { listTeamKeys } from "./team-key-index.ts";
import { createTeamKey } from "./team-keys.ts";

test("the list of a team reads its own keys alone, not the names of all that is stored", async (t) => {
  const { redis, team } = await durable(t);
  await createTeamKey(redis, { team, name: "laptop" }, commandActor);
  await createTeamKey(redis, { team: `${team}-other`, name: "door" }, commandActor);
  const scans = t.mock.method(redis, "scan");
  const reads = t.mock.method(redis, "mgetBuffer");
  assert.deepEqual(await namesOf(redis, team), ["laptop"]);
  assert.equal(scans.mock.callCount(), 0);
  assert.equal((reads.mock.calls[0]!.arguments as unknown[]).flat().length, 1);
});

test("a digest in the set whose key is gone, or belongs to another team, is left out", async (t) => {
  const { redis, team } = await durable(t);
  const [gone, moved] = [newApiKey(), newApiKey()];
  for (const key of [gone, moved]) await storeApiKey(redis, key, { team, name: "laptop" });
  await redis.del(apiKeyKey(digestOf(gone)));
  const record = JSON.parse((await redis.get(apiKeyKey(digestOf(moved))))!) as object;
  await redis.set(apiKeyKey(digestOf(moved)), JSON.stringify({ ...record, team: `${team}-other` }));
  assert.deepEqual(await listTeamKeys(redis, team), []);
});

const namesOf = async (...of: Parameters<typeof listTeamKeys>): Promise<string[]> =>
  (await listTeamKeys(...of)).map(({ name }) => name);

const digestOf = (key: string): string => createHash("sha256").update(key).digest("hex");
