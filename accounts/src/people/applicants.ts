import { readMessage } from "@faceline/runtime/message";
import type { RedisConnection } from "@faceline/runtime/redis";
import { declinedKey, personKey } from "@faceline/contracts/wire/names";
import { Person } from "./person.ts";
import { listWaitlist, type WaitlistEntry } from "./waitlist.ts";

/** Days for which operators see that an applicant was declined before. */
export const declinedShownDays = 365;

/** Returns who is waiting, the oldest first, with earlier decisions about each. For operators. */
export async function listApplicants(durable: RedisConnection): Promise<Applicant[]> {
  const entries = await listWaitlist(durable);
  if (entries.length === 0) return [];
  const emails = entries.map(({ email }) => email);
  const [people, declined] = await Promise.all([
    durable.mgetBuffer(emails.map(personKey)),
    durable.mget(emails.map(declinedKey)),
  ]);
  return entries.map((entry, i) => {
    const person = readMessage(Person, people[i]!);
    const declinedAt = declined[i] ?? null;
    return {
      ...entry,
      team: person.ok ? person.value.team : null,
      declinedAt: declinedAt === null ? null : Number(declinedAt),
    };
  });
}

/** Removes the mark that somebody was declined. Returns whether there was one. */
export async function unmarkDeclined(durable: RedisConnection, email: string): Promise<boolean> {
  return (await durable.del(declinedKey(email))) === 1;
}

/** `team`: for somebody who is already a member. `declinedAt`: epoch ms; null: not declined before. */
export type Applicant = WaitlistEntry & { team: string | null; declinedAt: number | null };
