import { createHash } from "node:crypto";
import { readMessage } from "@faceline/runtime/message";
import { type RedisConnection, script } from "@faceline/runtime/redis";
import { personKey, sessionKey, sessionsKey } from "@faceline/contracts/wire/names";
import * as z from "zod";
import { Email } from "./email.ts";

/** A signed-in browser. The session library adds what it needs. */
export const SessionRecord = z.looseObject({
  email: Email,
  createdAt: z.number().positive(),
  seenAt: z.number().positive(),
});
type SessionRecord = z.infer<typeof SessionRecord>;

/** Most sessions of a person. Above it, the one that was unseen for longest ends. */
export const sessionsMax = 20;

/** Days until an unused session ends. */
export const sessionDays = 30;
/**
 * Days after sign-in when a session ends, however often it is used, so that a copied cookie ends as well.
 * People who come every day sign in four times a year.
 */
export const sessionDaysMax = 90;

const daySeconds = 86_400;
/** Lifetime of the set of a person's sessions, which must outlive each of them. */
const setSeconds = sessionDaysMax * daySeconds;

/**
 * Stores a session under the SHA-256 of its id, so that a copy of the database lets nobody in. It ends `days`
 * after it was last stored, at the latest `sessionDaysMax` after its creation. Returns false, and stores
 * nothing, when the person is gone or that time is over.
 */
export async function storeSession(
  durable: RedisConnection,
  id: string,
  session: SessionRecord,
  days: number,
): Promise<boolean> {
  const { email } = session;
  const sha256 = digestOf(id);
  const seconds = secondsLeft(session, days);
  if (seconds <= 0) return false;
  const store = script(durable, storeSessionScript);
  const keys = [personKey(email), sessionsKey(email), sessionKey(sha256)];
  if ((await store(...keys, sha256, setSeconds, JSON.stringify(session), seconds)) === 0) return false;
  const stored = await storedSessions(durable, email);
  if (stored.length > sessionsMax) {
    const oldest = stored.slice(sessionsMax).map((each) => each.sha256);
    await remove(durable, email, oldest);
  }
  return true;
}

/**
 * Stores a session in one step: a command that ends all sessions of a person finds this one, or ran before;
 * one that forgets the person leaves no session. The set outlives each of its sessions.
 *
 * KEYS: person, their sessions, session. ARGV: SHA-256, seconds of the set, session, seconds.
 */
const storeSessionScript = {
  name: "storeSession",
  numberOfKeys: 3,
  lua: `
    if not redis.call('GET', KEYS[1]) then return 0 end
    redis.call('SADD', KEYS[2], ARGV[1])
    redis.call('EXPIRE', KEYS[2], ARGV[2])
    redis.call('SET', KEYS[3], ARGV[3], 'EX', ARGV[4])
    return 1`,
};

/**
 * Stores when a session was last seen, and lets it live on, up to its end. Does nothing for a session that
 * has ended.
 */
export async function touchSession(
  durable: RedisConnection,
  id: string,
  session: SessionRecord,
  days: number,
): Promise<void> {
  const sha256 = digestOf(id);
  const seconds = secondsLeft(session, days);
  if (seconds <= 0) return void (await remove(durable, session.email, [sha256]));
  const key = sessionKey(sha256);
  // XX: a session that ended meanwhile must not come back.
  const stored = await durable.set(key, JSON.stringify(session), "EX", seconds, "XX");
  if (stored !== null) await durable.expire(sessionsKey(session.email), setSeconds);
}

function secondsLeft({ createdAt }: SessionRecord, days: number): number {
  const endsAt = createdAt + sessionDaysMax * daySeconds * 1_000;
  return Math.min(days * daySeconds, Math.floor((endsAt - Date.now()) / 1_000));
}

/** Returns null for an unknown id, and for a session that has ended. */
export async function findSession(durable: RedisConnection, id: string): Promise<SessionRecord | null> {
  const parsed = readMessage(SessionRecord, await durable.getBuffer(sessionKey(digestOf(id))));
  return parsed.ok && secondsLeft(parsed.value, sessionDaysMax) > 0 ? parsed.value : null;
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
  // One that does not parse must be found too when all are ended.
  const ended = digests.filter((_, i) => stored[i] === null);
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
