import { changeApiKey } from "../keys/api-keys.ts";
import type { RedisConnection } from "@faceline/runtime/redis";
import { listApiKeys } from "../keys/team-index.ts";
import { peopleKey, personKey, sessionsKey, signInsKey } from "@faceline/contracts/wire/names";
import { type Actor, forgetInAudit, forgotten, recordAudit } from "../audit/audit-log.ts";
import { unmarkDeclined } from "./applicants.ts";
import { findPerson } from "./person.ts";
import { endSessions } from "./sessions.ts";
import { cancelLinks } from "./sign-in-link.ts";
import { leaveWaitlist } from "./waitlist.ts";

/**
 * Removes everything that is stored about a mail address: waitlist entry, person, sessions and sign-in
 * tokens. In the audit log and in names of API keys, `forgotten` replaces it. The keys of the team keep
 * working. If nothing is stored, nothing is logged. It may be repeated after an error. Needs a connection of
 * its own, like `forgetInAudit`.
 */
export async function forget(durable: RedisConnection, email: string, actor: Actor): Promise<Forgotten> {
  const person = await findPerson(durable, email);
  const waited = (await leaveWaitlist(durable, email)) > 0;
  const declined = await unmarkDeclined(durable, email);
  // The person before tokens and sessions: from here on nobody gets another one.
  await durable.del(personKey(email));
  await durable.srem(peopleKey, email);
  await cancelLinks(durable, email);
  await endSessions(durable, email);
  await durable.del(sessionsKey(email), signInsKey(email));
  const named = await forgetInKeyNames(durable, email);
  const logged = await forgetInAudit(durable, email);
  const found = person !== null || waited || declined || named || logged;
  if (found) await recordAudit(durable, actor, "person_forgotten", forgotten);
  return { found, team: person?.team ?? null };
}

/** Returns whether a key had the address in its name. A key that is renamed meanwhile is checked again. */
async function forgetInKeyNames(durable: RedisConnection, email: string): Promise<boolean> {
  for (let passes = 0; passes < passesMax; passes++) {
    const keys = (await listApiKeys(durable)).filter(({ name }) => name.toLowerCase().includes(email));
    for (const key of keys) {
      const name = key.name.toLowerCase().replaceAll(email, forgotten);
      await changeApiKey(durable, key, { name }, { nameBefore: key.name });
    }
    if (keys.length === 0) return passes > 0;
  }
  throw new Error("A key is renamed all the time: run the command again.");
}

const passesMax = 10;

/**
 * `found`: whether anything of the person was stored, audit lines included. `team`: the one that the person
 * was a member of; null when they only waited, or were unknown.
 */
type Forgotten = { found: boolean; team: string | null };
