import { createHash, randomBytes } from "node:crypto";
import { readMessage } from "@faceline/runtime/message";
import type { RedisConnection } from "@faceline/runtime/redis";
import { signInKey, signInsKey } from "@faceline/contracts/wire/names";
import * as z from "zod";
import { Email } from "./email.ts";
import { findPerson, type Person } from "./person.ts";

const StoredToken = z.object({
  email: Email,
  createdAt: z.number().positive(),
  expiresAt: z.number().positive(),
});

/** The secret part of a sign-in link: 32 random bytes in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** Most working sign-in links of a person. Above it, the oldest is cancelled. */
export const openLinksMax = 10;

/** Hours until a link that nobody has used stops working. */
export const signInLinkHours = 24;

const hourSeconds = 3_600;

/**
 * Stores the SHA-256 of a new sign-in token, valid for `hours` and for one use, and returns the token. It
 * cannot be read again. With `replaces` it takes the place of the other ones of the person. Returns null when
 * nobody has this email.
 */
export async function issueSignInToken(
  durable: RedisConnection,
  email: string,
  { hours, replaces = false }: { hours: number; replaces?: boolean },
): Promise<string | null> {
  // First, because whatever is stored stays in the append-only file, even the email of somebody unknown.
  if ((await findPerson(durable, email)) === null) return null;
  const token = randomBytes(32).toString("base64url");
  const sha256 = digestOf(token);
  const createdAt = Date.now();
  const stored = { email, createdAt, expiresAt: createdAt + hours * hourSeconds * 1_000 };
  await durable.eval(
    storeToken,
    2,
    signInsKey(email),
    signInKey(sha256),
    sha256,
    signInLinkHours * hourSeconds,
    JSON.stringify(stored),
    hours * hourSeconds,
  );
  // And after the token is stored, so that a concurrent removal finds either the token or nobody.
  if ((await findPerson(durable, email)) === null) {
    await remove(durable, email, [sha256]);
    return null;
  }
  const others = (await storedTokens(durable, email)).filter((other) => other.sha256 !== sha256);
  const cancelled = others.slice(replaces ? 0 : openLinksMax - 1).map((other) => other.sha256);
  if (cancelled.length > 0) await remove(durable, email, cancelled);
  return token;
}

/** Stores a token in one command: a listing treats a missing token as used or expired. */
const storeToken = `
redis.call("SADD", KEYS[1], ARGV[1])
redis.call("EXPIRE", KEYS[1], ARGV[2])
redis.call("SET", KEYS[2], ARGV[3], "EX", ARGV[4])`;

/** Returns the working sign-in links of a person, the newest first, without their tokens. */
export async function listOpenLinks(durable: RedisConnection, email: string): Promise<OpenLink[]> {
  const tokens = await storedTokens(durable, email);
  return tokens.map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt }));
}

/** Cancels all sign-in links of a person and returns how many of them worked. */
export async function cancelLinks(durable: RedisConnection, email: string): Promise<number> {
  const digests = await durable.smembers(signInsKey(email));
  return digests.length === 0 ? 0 : remove(durable, email, digests);
}

/** Returns whom a token would sign in, and changes nothing. Null: used, expired, unknown, or not a token. */
export async function findSignInToken(durable: RedisConnection, token: string): Promise<Person | null> {
  return tokenPattern.test(token)
    ? personOf(durable, await durable.getBuffer(signInKey(digestOf(token))))
    : null;
}

/** Returns whom a token signs in, once: the token is gone from then on. Null as with `findSignInToken`. */
export async function consumeSignInToken(durable: RedisConnection, token: string): Promise<Person | null> {
  return tokenPattern.test(token)
    ? personOf(durable, await durable.getdelBuffer(signInKey(digestOf(token))))
    : null;
}

/** The address to send. `publicUrl`: where the pages are served, such as `https://faces.example`. */
export const signInLink = (publicUrl: string, token: string): string =>
  `${publicUrl.replace(/\/$/, "")}/sign-in/${token}`;

/** Tokens that were used or are too old leave the set here. */
async function storedTokens(durable: RedisConnection, email: string): Promise<ListedToken[]> {
  const digests = await durable.smembers(signInsKey(email));
  if (digests.length === 0) return [];
  const stored = await durable.mgetBuffer(digests.map(signInKey));
  const read = digests.map((sha256, i) => ({ sha256, parsed: readMessage(StoredToken, stored[i]!) }));
  const gone = read.filter(({ parsed }) => !parsed.ok).map(({ sha256 }) => sha256);
  if (gone.length > 0) await durable.srem(signInsKey(email), ...gone);
  return read
    .flatMap(({ sha256, parsed }) => (parsed.ok ? [{ sha256, ...parsed.value }] : []))
    .toSorted((a, b) => b.createdAt - a.createdAt);
}

async function remove(durable: RedisConnection, email: string, digests: string[]): Promise<number> {
  const count = await durable.del(...digests.map(signInKey));
  await durable.srem(signInsKey(email), ...digests);
  return count;
}

async function personOf(durable: RedisConnection, json: Buffer | null): Promise<Person | null> {
  const stored = readMessage(StoredToken, json);
  return stored.ok ? findPerson(durable, stored.value.email) : null;
}

const digestOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** Instants in epoch milliseconds. */
export type OpenLink = { createdAt: number; expiresAt: number };
type ListedToken = OpenLink & { sha256: string };
