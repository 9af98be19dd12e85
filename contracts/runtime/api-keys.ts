import { createHash, randomBytes, randomUUID } from "node:crypto";
import { ApiKey, type KeyChange } from "../src/stored/api-key.ts";
import { type LimitOverrides, Team } from "../src/stored/team.ts";
import { apiKeyKey, keyChangesChannel, keysLastUsedKey, teamKey } from "../src/wire/names.ts";
import { readMessage } from "./message.ts";
import type { RedisConnection } from "./redis.ts";

/** A new key. It is shown to its holder once: what is stored cannot be turned back into it. */
export const newApiKey = (form = "fl_"): string => `${form}${randomBytes(32).toString("base64url")}`;

/**
 * Makes a key known to the ingresses. False: it was known before, and stays as it is, also if it is revoked.
 */
export async function storeApiKey(durable: RedisConnection, key: string, of: KeyOwner): Promise<boolean> {
  const entry = ApiKey.parse({
    id: randomUUID(),
    name: of.name,
    team: of.team,
    createdAt: Date.now(),
    disabled: false,
    prefix: key.slice(0, prefixCharacters),
  });
  const sha256 = createHash("sha256").update(key).digest("hex");
  return (await durable.set(apiKeyKey(sha256), JSON.stringify(entry), "NX")) === "OK";
}

/** Of 43 random characters at least 34 stay unknown. */
const prefixCharacters = 12;

/** What is stored of a key and of its team; null: there is no such key. One that does not parse is no key. */
export async function findApiKey(durable: RedisConnection, sha256: string): Promise<KeyRecord | null> {
  const found = await durable.getBuffer(apiKeyKey(sha256));
  const read = found === null ? undefined : readMessage(ApiKey, found);
  if (read?.ok !== true) return null;
  return { key: read.value, limits: await teamLimits(durable, read.value.team) };
}

/** The limits that were set for a team; those that were not are the service's defaults. */
export async function teamLimits(durable: RedisConnection, team: string): Promise<LimitOverrides> {
  const found = await durable.getBuffer(teamKey(team));
  if (found === null) return {};
  const read = readMessage(Team, found);
  // A team whose limits cannot be read must not count as one without.
  if (!read.ok) throw new Error(`team:${team}: ${read.reason}`);
  return read.value.limits;
}

/** Sets limits of a team beside those that were set before. Every ingress hears of it. */
export async function setTeamLimits(
  durable: RedisConnection,
  team: string,
  limits: LimitOverrides,
): Promise<void> {
  const before = await teamLimits(durable, team);
  const entry = Team.parse({ limits: { ...before, ...limits } });
  await durable.set(teamKey(team), JSON.stringify(entry));
  await give(durable, { team });
}

/** Every key, by team and age. */
export async function listApiKeys(durable: RedisConnection): Promise<ListedKey[]> {
  const listed: ListedKey[] = [];
  let cursor = "0";
  do {
    const [next, names] = await durable.scan(cursor, "MATCH", apiKeyKey("*"), "COUNT", scannedAtOnce);
    cursor = next;
    if (names.length === 0) continue;
    const digests = names.map((name) => name.slice(apiKeyKey("").length));
    const [entries, usedAt] = await Promise.all([
      durable.mgetBuffer(names),
      durable.hmget(keysLastUsedKey, ...digests),
    ]);
    for (const [i, sha256] of digests.entries()) {
      const read = readMessage(ApiKey, entries[i]!);
      const lastUsedAt = Number(usedAt[i] ?? 0) || null;
      // A scan may show a key twice.
      if (read.ok && listed.every((each) => each.sha256 !== sha256))
        listed.push({ ...read.value, sha256, lastUsedAt });
    }
  } while (cursor !== "0");
  return listed.toSorted((a, b) => a.team.localeCompare(b.team) || a.createdAt - b.createdAt);
}

const scannedAtOnce = 500;

/** From now on the key is refused; every ingress that knows it hears so at once. */
export async function revokeApiKey(durable: RedisConnection, { sha256 }: ListedKey): Promise<void> {
  const found = await durable.getBuffer(apiKeyKey(sha256));
  const read = found === null ? undefined : readMessage(ApiKey, found);
  if (read?.ok !== true) throw new Error("The key is gone: list the keys again.");
  await durable.set(apiKeyKey(sha256), JSON.stringify({ ...read.value, disabled: true }), "XX");
  await give(durable, { sha256 });
}

/** When keys were last used. The durable server writes to its disk for each call of this: gather first. */
export async function recordKeysUsed(durable: RedisConnection, usedAt: Map<string, number>): Promise<void> {
  if (usedAt.size > 0) await durable.hset(keysLastUsedKey, usedAt);
}

async function give(durable: RedisConnection, notice: KeyChange): Promise<void> {
  await durable.publish(keyChangesChannel, JSON.stringify(notice));
}

type KeyOwner = { team: string; name: string };
export type KeyRecord = { key: ApiKey; limits: LimitOverrides };
/** `lastUsedAt` in epoch milliseconds, right to a minute or so; null: never, or not written down yet. */
export type ListedKey = ApiKey & { sha256: string; lastUsedAt: number | null };
