import { readMessage } from "@faceline/runtime/message";
import type { RedisConnection } from "@faceline/runtime/redis";
import { declinedKey, personKey } from "@faceline/contracts/wire/names";
import { Person } from "./person.ts";
import { listWaitlist, type WaitlistEntry } from "./waitlist.ts";

/** Days for which operators see that somebody who joins again was declined. */
export const declinedShownDays = 365;

/** Returns who waits, the oldest first, with what was decided about each before. For operators. */
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

/** `team`: of a person who is a member already. `declinedAt`: epoch ms; null: not declined before. */
export type Applicant = WaitlistEntry & { team: string | null; declinedAt: number | null };
