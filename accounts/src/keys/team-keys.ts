import {
  type CreatedApiKey,
  changeApiKey,
  createApiKey,
  type ListedKey,
  rotateApiKey,
  revokeApiKey,
} from "./api-keys.ts";
import type { RedisConnection } from "@faceline/runtime/redis";
import { type Actor, recordAudit } from "../audit/audit-log.ts";
import { listTeamKeys } from "./team-index.ts";

// What the members of a team may do with its keys. A key of another team is treated as unknown.

/** Keys of a team that are neither revoked nor expired. */
export const teamKeysMax = 20;

const hourMs = 3_600_000;

/** Whether requests with this key are accepted. */
export const isActive = ({ disabled, expiresAt }: ListedKey, now: number): boolean =>
  !disabled && (expiresAt === undefined || now < expiresAt);

/**
 * Creates a key unless the team has reached its limit, and returns it: it is shown only this once. `none`:
 * `member` is no longer in the team. Throws a ZodError for an invalid name.
 */
export async function createTeamKey(
  durable: RedisConnection,
  { team, name, member }: { team: string; name: string; member?: string },
  actor: Actor,
): Promise<CreatedApiKey | { kind: "none" } | { kind: "too_many" }> {
  const created = await createApiKey(durable, { team, name }, { max: teamKeysMax, member });
  if (created.kind === "created") await recordAudit(durable, actor, "key_created", created.id, { team });
  return created;
}

/** The same without a bound, for operators. */
export async function createKey(
  durable: RedisConnection,
  { team, name }: { team: string; name: string },
  actor: Actor,
): Promise<CreatedApiKey> {
  const created = await createApiKey(durable, { team, name }, {});
  if (created.kind !== "created") throw new Error("The key was not stored: create another one.");
  await recordAudit(durable, actor, "key_created", created.id, { team });
  return created;
}

/** Returns false when the team has no such key. Throws a ZodError for an invalid name. */
export async function renameTeamKey(
  durable: RedisConnection,
  { team, id, name }: { team: string; id: string; name: string },
  actor: Actor,
): Promise<boolean> {
  const key = await findTeamKey(durable, team, id);
  if (key === undefined) return false;
  await changeApiKey(durable, key, { name });
  await recordAudit(durable, actor, "key_renamed", id, { team });
  return true;
}

/** Refuses a key from now on. Returns false when the team has no such key. */
export async function revokeTeamKey(
  durable: RedisConnection,
  { team, id }: { team: string; id: string },
  actor: Actor,
): Promise<boolean> {
  const key = await findTeamKey(durable, team, id);
  if (key === undefined) return false;
  await revokeApiKey(durable, key);
  await recordAudit(durable, actor, "key_revoked", id, { team });
  return true;
}

/**
 * Creates a key of the same name. The old one works for `overlapHours` more, so that callers can change over
 * without a pause. `none`: the team has no such key, it is revoked, or `member` is not in the team any more.
 * `rotated`: it was rotated before, and a form that is sent twice makes one key.
 */
export async function rotateTeamKey(
  durable: RedisConnection,
  { team, id, overlapHours, member }: { team: string; id: string; overlapHours: number; member?: string },
  actor: Actor,
): Promise<CreatedApiKey | { kind: "none" } | { kind: "rotated" } | { kind: "too_many" }> {
  const old = await findTeamKey(durable, team, id);
  if (old === undefined) return { kind: "none" };
  const expiresAt = Date.now() + overlapHours * hourMs;
  const created = await rotateApiKey(durable, { old, expiresAt }, { max: teamKeysMax, member });
  if (created.kind !== "created") return created;
  await recordAudit(durable, actor, "key_rotated", id, { team, newKey: created.id });
  return created;
}

async function findTeamKey(
  durable: RedisConnection,
  team: string,
  id: string,
): Promise<ListedKey | undefined> {
  return (await listTeamKeys(durable, team)).find((key) => key.id === id);
}
