import { createHash, randomBytes } from "node:crypto";
import { readMessage } from "@faceline/contracts/runtime/message";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import { signInKey } from "@faceline/contracts/wire/names";
import * as z from "zod";
import { Email } from "./email.ts";
import { findPerson, type Person } from "./person.ts";

const StoredToken = z.object({ email: Email });

/** The secret part of a sign-in address: 32 random bytes in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

const hourSeconds = 3_600;

/**
 * Stores the SHA-256 of a new sign-in token, valid for `hours` and for one use, and returns the token. It
 * cannot be read again. Returns null when nobody has this address.
 */
export async function issueSignInToken(
  durable: RedisConnection,
  email: string,
  hours: number,
): Promise<string | null> {
  const token = randomBytes(32).toString("base64url");
  const key = signInKey(digestOf(token));
  await durable.set(key, JSON.stringify({ email }), "EX", hours * hourSeconds);
  // Looked up after the token is stored, so that a removal at the same time finds either token or nobody.
  if ((await findPerson(durable, email)) !== null) return token;
  await durable.del(key);
  return null;
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
export const signInAddress = (publicUrl: string, token: string): string =>
  `${publicUrl.replace(/\/$/, "")}/sign-in/${token}`;

/** Removes the unused tokens of a person. Reads the names of all keys: for commands alone. */
export async function removeSignInTokens(durable: RedisConnection, email: string): Promise<void> {
  let cursor = "0";
  do {
    const [next, keys] = await durable.scan(cursor, "MATCH", signInKey("*"), "COUNT", 500);
    cursor = next;
    for (const key of keys) {
      const stored = readMessage(StoredToken, await durable.getBuffer(key));
      if (stored.ok && stored.value.email === email) await durable.del(key);
    }
  } while (cursor !== "0");
}

async function personOf(durable: RedisConnection, json: Buffer | null): Promise<Person | null> {
  const stored = readMessage(StoredToken, json);
  return stored.ok ? findPerson(durable, stored.value.email) : null;
}

const digestOf = (token: string): string => createHash("sha256").update(token).digest("hex");
