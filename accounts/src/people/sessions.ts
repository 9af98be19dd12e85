import { createHash } from "node:crypto";
import { readMessage } from "@faceline/contracts/runtime/message";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import { sessionKey, sessionsKey } from "@faceline/contracts/wire/names";
import * as z from "zod";
import { Email } from "./email.ts";
import { findPerson } from "./person.ts";

/** A signed-in browser. The session library adds what it needs. */
export const SessionRecord = z.looseObject({
  email: Email,
  createdAt: z.number().positive(),
  seenAt: z.number().positive(),
});
type SessionRecord = z.infer<typeof SessionRecord>;

/** Sessions of a person. Beyond it the one that was not seen for longest ends. */
export const sessionsMax = 20;

const daySeconds = 86_400;

/**
 * Stores a session under the SHA-256 of its id, so that a copy of the database lets nobody in. It ends `days`
 * after it was last stored. Returns false, and stores nothing, when the person is gone.
 */
export async function storeSession(
  durable: RedisConnection,
  id: string,
  session: SessionRecord,
  days: number,
): Promise<boolean> {
  const { email } = session;
  const sha256 = digestOf(id);
  // The set first, and the person last: whoever ends all sessions finds this one, or it ends itself.
  await durable.sadd(sessionsKey(email), sha256);
  await Promise.all([
    durable.expire(sessionsKey(email), days * daySeconds),
    durable.set(sessionKey(sha256), JSON.stringify(session), "EX", days * daySeconds),
  ]);
  if ((await findPerson(durable, email)) === null) {
    await remove(durable, email, [sha256]);
    return false;
  }
  const stored = await storedSessions(durable, email);
  if (stored.length > sessionsMax) {
    const oldest = stored.slice(sessionsMax).map((each) => each.sha256);
    await remove(durable, email, oldest);
  }
  return true;
}

/** Stores when a session was last seen, and lets it live on. Does nothing for a session that has ended. */
export async function touchSession(
  durable: RedisConnection,
  id: string,
  session: SessionRecord,
  days: number,
): Promise<void> {
  const key = sessionKey(digestOf(id));
  // XX: whoever ends the session meanwhile must not find it again.
  const stored = await durable.set(key, JSON.stringify(session), "EX", days * daySeconds, "XX");
  if (stored !== null) await durable.expire(sessionsKey(session.email), days * daySeconds);
}

/** Returns null for an unknown id, and for a session that has ended. */
export async function findSession(durable: RedisConnection, id: string): Promise<SessionRecord | null> {
  const parsed = readMessage(SessionRecord, await durable.getBuffer(sessionKey(digestOf(id))));
  return parsed.ok ? parsed.value : null;
}

export async function endSession(durable: RedisConnection, id: string): Promise<void> {
  const session = await findSession(durable, id);
  if (session !== null) await remove(durable, session.email, [digestOf(id)]);
}

/** Returns the sessions of a person, the last seen first. */
export async function listSessions(durable: RedisConnection, email: string): Promise<SessionRecord[]> {
  return (await storedSessions(durable, email)).map(({ session }) => session);
}

/** Ends all sessions of a person and returns their number. */
export async function endSessions(durable: RedisConnection, email: string): Promise<number> {
  const digests = await durable.smembers(sessionsKey(email));
  return digests.length === 0 ? 0 : remove(durable, email, digests);
}

/** Sessions that ended by themselves leave the set here. */
async function storedSessions(durable: RedisConnection, email: string): Promise<StoredSession[]> {
  const digests = await durable.smembers(sessionsKey(email));
  if (digests.length === 0) return [];
  const stored = await durable.mgetBuffer(digests.map(sessionKey));
  const read = digests.map((sha256, i) => ({ sha256, parsed: readMessage(SessionRecord, stored[i]!) }));
  const ended = read.filter(({ parsed }) => !parsed.ok).map(({ sha256 }) => sha256);
  if (ended.length > 0) await durable.srem(sessionsKey(email), ...ended);
  return read
    .flatMap(({ sha256, parsed }) => (parsed.ok ? [{ sha256, session: parsed.value }] : []))
    .toSorted((a, b) => b.session.seenAt - a.session.seenAt);
}

async function remove(durable: RedisConnection, email: string, digests: string[]): Promise<number> {
  const count = await durable.del(...digests.map(sessionKey));
  await durable.srem(sessionsKey(email), ...digests);
  return count;
}

const digestOf = (id: string): string => createHash("sha256").update(id).digest("hex");

type StoredSession = { sha256: string; session: SessionRecord };
