import { readMessage } from "@faceline/runtime/message";
import type { RedisConnection } from "@faceline/runtime/redis";
import { Team } from "@faceline/contracts/stored/team";
import { Tenant } from "@faceline/contracts/wire/ids";
import { auditKey } from "@faceline/contracts/wire/names";
import * as z from "zod";

/** Actions that are recorded. The log has no free text: nothing that anybody typed, or that a mail says. */
export const AuditAction = z.enum([
  "waitlist_approved",
  "waitlist_declined",
  "operator_made",
  "member_made",
  "sign_in_address_made",
  "sign_in_addresses_cancelled",
  "signed_in",
  "signed_out",
  "sessions_ended",
  "person_forgotten",
  "limits_set",
  "key_created",
  "key_renamed",
  "key_rotated",
  "key_revoked",
]);
export type AuditAction = z.infer<typeof AuditAction>;

/**
 * Details of a change, beyond its action: ids, names of teams, and limits. It has no names of keys: somebody
 * typed them, and they may change, so they are looked up to be shown.
 */
const AuditDetails = z.object({
  /** Team of the key, or the one that a person was approved into. */
  team: Tenant.optional(),
  /** Id of the key that replaces the one of the entry. */
  newKey: z.string().optional(),
  limits: z.object({ before: Team.shape.limits, after: Team.shape.limits }).optional(),
  /** Number of waitlist entries that were declined together: of a mail domain, a network, or all. */
  entries: z.int().min(1).optional(),
});
export type AuditDetails = z.infer<typeof AuditDetails>;

/** Who acts: the mail address of a person, or `command`. `requestId`: the request's; null for commands. */
export type Actor = { by: string; requestId: string | null };

export const commandActor: Actor = { by: "command", requestId: null };

const AuditFields = z.object({
  by: z.string(),
  action: AuditAction,
  on: z.string(),
  requestId: z.string().optional(),
  details: z.string().default("{}"),
});

/** Entries that are stored; the oldest go first. Exact, because a page says how far the log goes back. */
const entriesMax = 10_000;

/** Adds an entry. `on`: the mail address, team, key id or model that the action changed. */
export async function recordAudit(
  durable: RedisConnection,
  actor: Actor,
  action: AuditAction,
  on: string,
  details: AuditDetails = {},
): Promise<void> {
  const [maxLength, exact, count, id, ...fields] = auditArguments(actor, action, on, details);
  await durable.xadd(auditKey, maxLength, exact, count, id, ...fields);
}

/** The arguments of XADD after its key, for a script that records what it changes in the same step. */
export function auditArguments(
  { by, requestId }: Actor,
  action: AuditAction,
  on: string,
  details: AuditDetails = {},
): ["MAXLEN", "=", number, "*", ...string[]] {
  const request = requestId === null ? {} : { requestId };
  const fields = { by, action, on, ...request, details: JSON.stringify(AuditDetails.parse(details)) };
  return ["MAXLEN", "=", entriesMax, "*", ...Object.entries(fields).flat()];
}

/** Returns `count` entries, the newest first, starting with the one before the entry `before`. */
export async function listAudit(
  durable: RedisConnection,
  { count, before }: { count: number; before?: string | undefined },
): Promise<AuditEntry[]> {
  const from = before === undefined ? "+" : `(${before}`;
  const entries = await durable.xrevrange(auditKey, from, "-", "COUNT", count);
  return entries.flatMap(([id, list]) => {
    const { data } = AuditFields.safeParse(fieldsOf(list));
    if (data === undefined) return [];
    const { requestId = null, details: json, ...rest } = data;
    const details = readMessage(AuditDetails, Buffer.from(json));
    const at = Number(id.split("-")[0]);
    return [{ id, at, ...rest, requestId, details: details.ok ? details.value : {} }];
  });
}

/** Ids of entries, as `before` takes them. */
export const AuditId = z.string().regex(/^\d{1,15}-\d{1,10}$/);

/** Replaces the email of a person who was removed. */
export const forgotten = "forgotten";
const attemptsMax = 10;

/**
 * Replaces a mail address in all entries. Entries of a stream cannot be changed, so the stream is written
 * again with the same ids. If an entry was added meanwhile, it retries. Needs a connection of its own,
 * because it watches the key. Returns whether the address was in the log. Throws if entries were added during
 * each of ten attempts.
 */
export async function forgetInAudit(durable: RedisConnection, email: string): Promise<boolean> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    await durable.watch(auditKey);
    const entries = await durable.xrange(auditKey, "-", "+");
    if (!entries.some(([, list]) => list.includes(email))) {
      await durable.unwatch();
      return false;
    }
    const transaction = durable.multi().del(auditKey);
    for (const [id, list] of entries) {
      transaction.xadd(auditKey, id, ...list.map((value) => (value === email ? forgotten : value)));
    }
    if ((await transaction.exec()) !== null) return true;
  }
  throw new Error("The audit log changes all the time: run the command again.");
}

/** `[name, value, name, value]` → an object. */
function fieldsOf(list: string[]): Record<string, string> {
  const pairs = list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] ?? ""] as const] : []));
  return Object.fromEntries(pairs);
}

/** `at`: epoch milliseconds. */
export type AuditEntry = {
  id: string;
  at: number;
  by: string;
  action: AuditAction;
  on: string;
  requestId: string | null;
  details: AuditDetails;
};
