import { createHash, randomBytes, randomUUID } from "node:crypto";
import { ApiKey, type KeyChange } from "../src/stored/api-key.ts";
import { type LimitOverrides, Team } from "../src/stored/team.ts";
import {
  apiKeyKey,
  keyChangesChannel,
  keysLastUsedKey,
  teamKey,
  teamKeysKey,
  teamsKey,
} from "../src/wire/names.ts";
import { readMessage } from "./message.ts";
import type { RedisConnection } from "./redis.ts";

/** Returns a new random key. It can be shown only once, because only its SHA-256 is stored. */
export const newApiKey = (prefix = "fl_"): string => `${prefix}${randomBytes(32).toString("base64url")}`;

/**
 * Stores a key, so that ingresses accept it. Returns false when the key was stored before: its record, which
 * may be revoked, is then unchanged. Throws a ZodError for an invalid name or team.
 */
export async function storeApiKey(durable: RedisConnection, key: string, owner: KeyOwner): Promise<boolean> {
  const entry = ApiKey.parse({
    id: randomUUID(),
    name: owner.name,
    team: owner.team,
    createdAt: Date.now(),
    disabled: false,
    prefix: key.slice(0, prefixCharacters),
  });
  const sha256 = createHash("sha256").update(key).digest("hex");
  // The sets first: what they name and is not there is ignored, and what they do not name is not listed.
  await durable.sadd(teamsKey, entry.team);
  await durable.sadd(teamKeysKey(entry.team), sha256);
  return (await durable.set(apiKeyKey(sha256), JSON.stringify(entry), "NX")) === "OK";
}

/** Characters of a key that are stored for display. At least 34 of its 43 random characters stay secret. */
const prefixCharacters = 12;

/**
 * Returns the record of a key and the limits of its team, or null when there is no such key or its record
 * does not parse. Throws when the limits of the team do not parse.
 */
export async function findApiKey(durable: RedisConnection, sha256: string): Promise<KeyRecord | null> {
  const json = await durable.getBuffer(apiKeyKey(sha256));
  const parsed = json === null ? undefined : readMessage(ApiKey, json);
  if (parsed?.ok !== true) return null;
  return { key: parsed.value, limits: await teamLimits(durable, parsed.value.team) };
}

/**
 * Returns the limits that were set for a team. The service's default applies to a limit that is absent.
 * Throws when they do not parse.
 */
export async function teamLimits(durable: RedisConnection, team: string): Promise<LimitOverrides> {
  const json = await durable.getBuffer(teamKey(team));
  if (json === null) return {};
  const parsed = readMessage(Team, json);
  // Unreadable limits must not become the defaults.
  if (!parsed.ok) throw new Error(`team:${team}: ${parsed.reason}`);
  return parsed.value.limits;
}

/**
 * Sets limits of a team, keeps the others, and notifies every ingress. Throws a ZodError for invalid limits.
 */
export async function setTeamLimits(
  durable: RedisConnection,
  team: string,
  limits: LimitOverrides,
): Promise<void> {
  await replaceTeamLimits(durable, team, { ...(await teamLimits(durable, team)), ...limits });
}

/** The same, but a limit that is absent is the service's default from then on. */
export async function replaceTeamLimits(
  durable: RedisConnection,
  team: string,
  limits: LimitOverrides,
): Promise<void> {
  const entry = Team.parse({ limits });
  // The set first, so that no limits are left out of the list of teams.
  await durable.sadd(teamsKey, team);
  await durable.set(teamKey(team), JSON.stringify(entry));
  await publishKeyChange(durable, { team });
}

/** Returns the keys with these SHA-256, in their order, without those that are gone or do not parse. */
export async function readApiKeys(durable: RedisConnection, digests: string[]): Promise<ListedKey[]> {
  if (digests.length === 0) return [];
  const [entries, usedAt] = await Promise.all([
    durable.mgetBuffer(digests.map(apiKeyKey)),
    durable.hmget(keysLastUsedKey, ...digests),
  ]);
  return digests.flatMap((sha256, i) => {
    const parsed = readMessage(ApiKey, entries[i]!);
    const lastUsedAt = Number(usedAt[i] ?? 0) || null;
    return parsed.ok ? [{ ...parsed.value, sha256, lastUsedAt }] : [];
  });
}

/**
 * Disables a key and notifies every ingress, which refuses the key from then on. Throws when it is not
 * stored.
 */
export async function revokeApiKey(durable: RedisConnection, key: StoredKey): Promise<void> {
  await changeApiKey(durable, key, { disabled: true });
}

/**
 * Changes the record of a key and notifies every ingress. Throws when it is not stored, and a ZodError for an
 * invalid name.
 */
export async function changeApiKey(
  durable: RedisConnection,
  { sha256 }: StoredKey,
  change: Partial<Pick<ApiKey, "name" | "disabled" | "expiresAt">>,
): Promise<void> {
  const json = await durable.getBuffer(apiKeyKey(sha256));
  const parsed = json === null ? undefined : readMessage(ApiKey, json);
  if (parsed?.ok !== true) throw new Error("The key is gone: list the keys again.");
  const entry = ApiKey.parse({ ...parsed.value, ...change });
  await durable.set(apiKeyKey(sha256), JSON.stringify(entry), "XX");
  await publishKeyChange(durable, { sha256 });
}

/**
 * Records when keys were last used, in epoch milliseconds by SHA-256. Pass many keys at once: the durable
 * server writes to its disk on every call.
 */
export async function recordKeysUsed(durable: RedisConnection, usedAt: Map<string, number>): Promise<void> {
  if (usedAt.size > 0) await durable.hset(keysLastUsedKey, usedAt);
}

async function publishKeyChange(durable: RedisConnection, change: KeyChange): Promise<void> {
  await durable.publish(keyChangesChannel, JSON.stringify(change));
}

type StoredKey = Pick<ListedKey, "sha256">;
type KeyOwner = { team: string; name: string };
export type KeyRecord = { key: ApiKey; limits: LimitOverrides };
/** `lastUsedAt`: epoch milliseconds, accurate to about a minute; null: never used, or not recorded yet. */
export type ListedKey = ApiKey & { sha256: string; lastUsedAt: number | null };
