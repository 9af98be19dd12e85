import { readMessage } from "@faceline/contracts/runtime/message";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import { waitlistKey } from "@faceline/contracts/wire/names";
import * as z from "zod";
import { Email } from "./email.ts";

/** What somebody writes who wants to join. Directions and controls would falsify what an operator reads. */
export const WaitlistForm = z.object({
  email: Email,
  text: z
    .string()
    .overwrite((text) => text.replaceAll("\r\n", "\n").trim())
    .max(1_000)
    .regex(/^(?:[^\p{Cc}\u202a-\u202e\u2066-\u2069]|[\n\t])*$/u)
    .default(""),
});

/** `text`: the newest. `firstText`: the first one, where the form was sent again. */
const StoredEntry = z.object({
  text: z.string(),
  joinedAt: z.number().positive(),
  firstText: z.string().optional(),
  sentAgainAt: z.number().positive().optional(),
});

/** 5.2 MB at most with all of its text. A constant, because nobody approves so many by hand. */
export const waitlistEntriesMax = 2_000;

/**
 * Stores what somebody wrote. Of an address that waits already the first text and the newest one are stored:
 * they may correct it, and somebody else who knows the address cannot remove it. Either way one entry is read
 * and one is written, so that neither the result nor the time says who is on the list. `full`: nothing was
 * stored. Calls at the same time may exceed `waitlistEntriesMax` by their number.
 */
export async function joinWaitlist(
  durable: RedisConnection,
  { email, text }: z.infer<typeof WaitlistForm>,
  now = Date.now(),
): Promise<"joined" | "full"> {
  const [count, json] = await Promise.all([
    durable.hlen(waitlistKey),
    durable.hgetBuffer(waitlistKey, email),
  ]);
  // Before the look at the entry: a full list is full for those who are on it, too.
  if (count >= waitlistEntriesMax) return "full";
  const stored = readMessage(StoredEntry, json);
  const entry = stored.ok
    ? {
        text,
        joinedAt: stored.value.joinedAt,
        firstText: stored.value.firstText ?? stored.value.text,
        sentAgainAt: now,
      }
    : { text, joinedAt: now };
  await durable.hset(waitlistKey, email, JSON.stringify(entry));
  return "joined";
}

/** Returns all entries, the oldest first. An entry that does not parse is shown without its text. */
export async function listWaitlist(durable: RedisConnection): Promise<WaitlistEntry[]> {
  const stored = await durable.hgetallBuffer(waitlistKey);
  return Object.entries(stored)
    .map(([email, json]) => {
      const parsed = readMessage(StoredEntry, json);
      return { email, ...(parsed.ok ? parsed.value : { text: "", joinedAt: 0 }) };
    })
    .toSorted((a, b) => a.joinedAt - b.joinedAt || a.email.localeCompare(b.email));
}

/** Removes an entry. Returns false when there is none. */
export async function leaveWaitlist(durable: RedisConnection, email: string): Promise<boolean> {
  return (await durable.hdel(waitlistKey, email)) === 1;
}

/**
 * `text`: what the person wrote, the newest. Instants in epoch milliseconds; `joinedAt` is 0 when it cannot
 * be read.
 */
export type WaitlistEntry = { email: string } & z.infer<typeof StoredEntry>;
