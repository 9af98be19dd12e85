import { createHash, randomBytes, randomUUID } from "node:crypto";
import { ApiKey } from "@faceline/contracts/stored/api-key";
import { type LimitOverrides, Team } from "@faceline/contracts/stored/team";
import { apiKeyKey, keysLastUsedKey, personKey, teamKey, teamKeysKey } from "@faceline/contracts/wire/names";
import {
  addApiKeyScript,
  changeApiKeyScript,
  rotateApiKeyScript,
  replaceTeamLimitsScript,
  setTeamLimitsScript,
} from "./api-key-scripts.ts";
import { readMessage } from "@faceline/runtime/message";
import { type RedisConnection, script } from "@faceline/runtime/redis";

/** Returns a new random key. It can be shown only once, because only its SHA-256 is stored. */
export const newApiKey = (prefix = "fl_"): string => `${prefix}${randomBytes(32).toString("base64url")}`;

/**
 * Stores a key, so that ingresses accept it. Returns false when the key was stored before: its record, which
 * may be revoked, is then unchanged. Throws a ZodError for an invalid name or team.
 */
export async function storeApiKey(durable: RedisConnection, key: string, owner: KeyOwner): Promise<boolean> {
  const { sha256, entry } = newRecord(key, owner);
  const args = [apiKeyKey(sha256), teamKeysKey(entry.team), sha256, JSON.stringify(entry)];
  return (await script(durable, addApiKeyScript)(...args, ...conditionArgs({}))) === "created";
}

/**
 * Creates a key under conditions that are checked in the step that stores it, so that concurrent requests
 * cannot exceed them and somebody who is being removed leaves no key behind. Throws like `storeApiKey`.
 */
export async function createApiKey(
  durable: RedisConnection,
  owner: KeyOwner,
  conditions: KeyConditions,
): Promise<CreatedApiKey | RefusedApiKey> {
  const key = newApiKey();
  const { sha256, entry } = newRecord(key, owner);
  const args = [apiKeyKey(sha256), teamKeysKey(entry.team), sha256, JSON.stringify(entry)];
  const kind = await script(durable, addApiKeyScript)(...args, ...conditionArgs(conditions));
  return kind === "created" ? { kind, key, id: entry.id } : ({ kind } as RefusedApiKey);
}

/**
 * The same for a key that takes the place and the name of `old`, which is refused after `expiresAt`. Also
 * `none` if the old key is gone or revoked; `rotated`: it already has an end. Notifies every ingress.
 */
export async function rotateApiKey(
  durable: RedisConnection,
  { old, expiresAt }: { old: ListedKey; expiresAt: number },
  conditions: KeyConditions,
): Promise<CreatedApiKey | RefusedApiKey | { kind: "rotated" }> {
  const key = newApiKey();
  const { sha256, entry } = newRecord(key, old);
  const keys = [apiKeyKey(sha256), teamKeysKey(entry.team), apiKeyKey(old.sha256)];
  const args = [sha256, JSON.stringify(entry), ...conditionArgs(conditions), old.sha256, expiresAt];
  const kind = await script(durable, rotateApiKeyScript)(...keys, ...args);
  return kind === "created" ? { kind, key, id: entry.id } : ({ kind } as RefusedApiKey);
}

function newRecord(key: string, { team, name }: KeyOwner) {
  const entry = ApiKey.parse({
    id: randomUUID(),
    name,
    team,
    createdAt: Date.now(),
    disabled: false,
    prefix: key.slice(0, prefixCharacters),
  });
  return { sha256: createHash("sha256").update(key).digest("hex"), entry };
}

const conditionArgs = ({ max = 0, member }: KeyConditions): (string | number)[] => [
  max,
  Date.now(),
  member === undefined ? "" : personKey(member),
];

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
  // Unreadable limits must not turn into the defaults.
  if (!parsed.ok) throw new Error(`team:${team}: ${parsed.reason}`);
  return parsed.value.limits;
}

/**
 * Sets limits of a team, keeps the others, and notifies every ingress. Limits that are set at the same time
 * hold together. Returns the limits before. Throws a ZodError for invalid limits, and when those that are
 * stored do not parse.
 */
export async function setTeamLimits(
  durable: RedisConnection,
  team: string,
  limits: LimitOverrides,
): Promise<LimitOverrides> {
  const entry = Team.parse({ limits });
  await teamLimits(durable, team);
  const set = script(durable, setTeamLimitsScript);
  const before = (await set(teamKey(team), team, JSON.stringify(entry.limits))) as string | null;
  return before === null ? {} : Team.parse(JSON.parse(before)).limits;
}

/**
 * Sets all limits of a team: one that is absent is the service's default from then on. Returns false, and
 * sets nothing, if the record is no longer the one that was read; null: there was none.
 */
export async function replaceTeamLimits(
  durable: RedisConnection,
  team: string,
  limits: LimitOverrides,
  read: string | null,
): Promise<boolean> {
  const entry = JSON.stringify(Team.parse({ limits }));
  const replace = script(durable, replaceTeamLimitsScript);
  return (await replace(teamKey(team), team, read ?? "", entry)) === 1;
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
 * Changes fields of a key in one step, and notifies every ingress. A revoked key stays revoked, and of two
 * ends the earlier one holds. With `nameBefore`, returns false and changes nothing if the key has another
 * name. Throws when it is not stored, and a ZodError for an invalid name.
 */
export async function changeApiKey(
  durable: RedisConnection,
  { sha256 }: StoredKey,
  change: Partial<Pick<ApiKey, "name" | "disabled" | "expiresAt">>,
  { nameBefore = "" }: { nameBefore?: string } = {},
): Promise<boolean> {
  const fields = JSON.stringify(KeyFields.parse(change));
  const changed = await script(durable, changeApiKeyScript)(apiKeyKey(sha256), sha256, fields, nameBefore);
  if (changed === "none") throw new Error("The key is gone: list the keys again.");
  return changed === "changed";
}

const KeyFields = ApiKey.pick({ name: true, disabled: true, expiresAt: true }).partial();

/**
 * Records when keys were last used, in epoch milliseconds by SHA-256. Pass many keys at once: the durable
 * server writes to its disk on every call.
 */
export async function recordKeysUsed(durable: RedisConnection, usedAt: Map<string, number>): Promise<void> {
  if (usedAt.size > 0) await durable.hset(keysLastUsedKey, usedAt);
}

type StoredKey = Pick<ListedKey, "sha256">;
type KeyOwner = { team: string; name: string };
/** `max`: most working keys of the team; no limit by default. `member`: email of who must be in the team. */
type KeyConditions = { max?: number; member?: string | undefined };
/** `key` can be shown only once. */
export type CreatedApiKey = { kind: "created"; key: string; id: string };
/** `none`: `member` is no longer in the team. */
type RefusedApiKey = { kind: "none" } | { kind: "too_many" };
export type KeyRecord = { key: ApiKey; limits: LimitOverrides };
/** `lastUsedAt`: epoch milliseconds, accurate to about a minute; null: never used, or not recorded yet. */
export type ListedKey = ApiKey & { sha256: string; lastUsedAt: number | null };
