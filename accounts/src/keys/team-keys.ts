import { createHash } from "node:crypto";
import {
  changeApiKey,
  findApiKey,
  type ListedKey,
  newApiKey,
  revokeApiKey,
  storeApiKey,
} from "@faceline/contracts/runtime/api-keys";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import { type Actor, recordAudit } from "../audit/audit-log.ts";
import { listTeamKeys } from "./team-key-index.ts";

// What the members of a team may do with its keys. A key of another team is as unknown as one that never was.

/** Keys of a team that are neither revoked nor expired. */
export const teamKeysMax = 20;

const hourMs = 3_600_000;

/** Whether calls with this key are let in. */
export const isActive = ({ disabled, expiresAt }: ListedKey, now: number): boolean =>
  !disabled && (expiresAt === undefined || now < expiresAt);

/**
 * Creates a key unless the team has its number of keys, and returns it: it is shown this once. Throws a
 * ZodError for an invalid name.
 */
export async function createTeamKey(
  durable: RedisConnection,
  { team, name }: { team: string; name: string },
  actor: Actor,
): Promise<CreatedKey | { kind: "too_many" }> {
  if (await hasAllKeys(durable, team)) return { kind: "too_many" };
  return createKey(durable, { team, name }, actor);
}

/** The same without a bound, for operators. */
export async function createKey(
  durable: RedisConnection,
  { team, name }: { team: string; name: string },
  actor: Actor,
): Promise<CreatedKey> {
  const created = await create(durable, team, name);
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
 * without a pause. `none`: the team has no such key, or it is revoked. `replaced`: it was replaced before,
 * and a form that is sent twice makes one key.
 */
export async function rotateTeamKey(
  durable: RedisConnection,
  { team, id, overlapHours }: { team: string; id: string; overlapHours: number },
  actor: Actor,
): Promise<CreatedKey | { kind: "none" } | { kind: "replaced" } | { kind: "too_many" }> {
  const now = Date.now();
  const key = await findTeamKey(durable, team, id);
  if (key === undefined || key.disabled) return { kind: "none" };
  // Keys have an end by this function alone.
  if (key.expiresAt !== undefined) return { kind: "replaced" };
  if (await hasAllKeys(durable, team)) return { kind: "too_many" };
  const created = await create(durable, team, key.name);
  await changeApiKey(durable, key, { expiresAt: now + overlapHours * hourMs });
  await recordAudit(durable, actor, "key_rotated", id, { team, newKey: created.id });
  return created;
}

async function hasAllKeys(durable: RedisConnection, team: string): Promise<boolean> {
  const active = (await listTeamKeys(durable, team)).filter((key) => isActive(key, Date.now()));
  return active.length >= teamKeysMax;
}

async function findTeamKey(
  durable: RedisConnection,
  team: string,
  id: string,
): Promise<ListedKey | undefined> {
  return (await listTeamKeys(durable, team)).find((key) => key.id === id);
}

async function create(durable: RedisConnection, team: string, name: string): Promise<CreatedKey> {
  const key = newApiKey();
  await storeApiKey(durable, key, { team, name });
  const record = await findApiKey(durable, createHash("sha256").update(key).digest("hex"));
  if (record === null) throw new Error("The key was removed while it was created: create another one.");
  return { kind: "created", key, id: record.key.id };
}

type CreatedKey = { kind: "created"; key: string; id: string };
