import { type RedisConnection, script } from "@faceline/runtime/redis";
import type { LimitOverrides } from "@faceline/contracts/stored/team";
import { auditKey, declinedKey, peopleKey, personKey, waitlistKey } from "@faceline/contracts/wire/names";
import { type Actor, auditArguments, recordAudit } from "../audit/audit-log.ts";
import { declinedShownDays } from "./applicants.ts";
import { findPerson, Person } from "./person.ts";
import { admitPersonScript, declineScript, makeMemberScript, makeOperatorScript } from "./person-changes.ts";
import { cancelLinks, issueSignInToken } from "./sign-in-link.ts";
import { setLimits } from "./teams.ts";
import { leaveWaitlist, listWaitlist } from "./waitlist.ts";

/** The team of an operator who has no other. */
const operatorsTeam = "operators";

/**
 * Makes somebody a member of a team, which is created if needed, and takes them off the waitlist. Limits that
 * are absent stay as they are. It may be repeated. A person who is already in another team stays there.
 * `gone`: with `mustWait`, nobody with this address is known or waiting.
 */
export async function approve(
  durable: RedisConnection,
  { email, team, limits = {}, mustWait = false }: Approval,
  actor: Actor,
): Promise<ApprovalResult> {
  const known = await findPerson(durable, email);
  if (known !== null && known.team !== team) return { kind: "in_other_team", team: known.team };
  // Limits first, so that nobody sends requests without them.
  const change = await setLimits(durable, { team, limits });
  const newcomer = Person.parse({ email, team, role: "member", createdAt: Date.now() });
  const stored = (await script(durable, admitPersonScript)(
    ...recordKeys(email),
    JSON.stringify(newcomer),
    mustWait ? "1" : "0",
    ...auditArguments(actor, "waitlist_approved", email, { team, limits: change }),
  )) as string | null;
  if (stored === null) return { kind: "gone" };
  const person = Person.parse(JSON.parse(stored));
  if (person.team !== team) return { kind: "in_other_team", team: person.team };
  return { kind: "approved", person, limits: change };
}

/**
 * Takes somebody off the waitlist. Returns false when they are not on it. A member stays one, and is not
 * marked as declined.
 */
export async function decline(durable: RedisConnection, email: string, actor: Actor): Promise<boolean> {
  const declined = await script(durable, declineScript)(
    waitlistKey,
    personKey(email),
    declinedKey(email),
    auditKey,
    email,
    Date.now(),
    declinedShownDays * daySeconds,
    ...auditArguments(actor, "waitlist_declined", email),
  );
  return declined === 1;
}

/**
 * Takes the entries of a mail domain or a network, or all entries, off the waitlist, and returns their
 * number. For a list that somebody has flooded: it marks no address as declined, because it may be anybody's,
 * and leaves one entry in the audit log.
 */
export async function declineAll(
  durable: RedisConnection,
  which: { domain: string } | { network: string } | "all",
  actor: Actor,
): Promise<number> {
  const entries = (await listWaitlist(durable)).filter(({ email, network }) => {
    if (which === "all") return true;
    return "domain" in which ? email.endsWith(`@${which.domain}`) : network === which.network;
  });
  const declined = await leaveWaitlist(durable, ...entries.map(({ email }) => email));
  const on = which === "all" ? which : Object.values(which)[0]!;
  if (declined > 0) await recordAudit(durable, actor, "waitlist_declined", on, { entries: declined });
  return declined;
}

/**
 * Makes somebody an operator. A person keeps their team; others get `team`, by default `operators`.
 * An operator stays one, without another entry in the audit log. Returns null if nobody of this
 * address is known and `mustBeKnown`: a page shows somebody who may be forgotten meanwhile.
 */
export async function makeOperator(
  durable: RedisConnection,
  { email, team = operatorsTeam, mustBeKnown = false }: OperatorCall,
  actor: Actor,
): Promise<{ person: Person; wasOperator: boolean } | null> {
  const known = await findPerson(durable, email);
  if (known === null && mustBeKnown) return null;
  const newcomer = Person.parse({ email, team, role: "operator", createdAt: Date.now() });
  const ownTeam = known?.team ?? team;
  await setLimits(durable, { team: ownTeam, limits: {} });
  const made = (await script(durable, makeOperatorScript)(
    ...recordKeys(email),
    email,
    // A person who was known and no longer is has been forgotten, and stays so.
    known === null ? JSON.stringify(newcomer) : "",
    ...auditArguments(actor, "operator_made", email, { team: ownTeam }),
  )) as [role: string, record: string] | null;
  if (made === null) return null;
  const [role, stored] = made;
  return { person: Person.parse(JSON.parse(stored)), wasOperator: role === "operator" };
}

/**
 * Makes an operator a member again: from their next request, pages of operators are closed to them. Their
 * team, sessions and sign-in links stay. `last_operator`: nothing was changed, because nobody else is one.
 */
export async function makeMember(
  durable: RedisConnection,
  email: string,
  actor: Actor,
): Promise<"made" | "was_member" | "last_operator" | "unknown"> {
  const result = await script(durable, makeMemberScript)(
    personKey(email),
    peopleKey,
    auditKey,
    email,
    personKey(""),
    ...auditArguments(actor, "member_made", email),
  );
  return result as "made" | "was_member" | "last_operator" | "unknown";
}

const recordKeys = (email: string): string[] => [
  personKey(email),
  peopleKey,
  waitlistKey,
  declinedKey(email),
  auditKey,
];

const daySeconds = 86_400;

/**
 * Returns a sign-in token for an operator to pass on, or null when nobody has this email. It replaces all
 * tokens of the person, because an operator makes one when the earlier one was lost.
 */
export async function issueForPerson(
  durable: RedisConnection,
  { email, hours }: { email: string; hours: number },
  actor: Actor,
): Promise<string | null> {
  const token = await issueSignInToken(durable, email, { hours, replaces: true });
  if (token !== null) await recordAudit(durable, actor, "sign_in_address_made", email);
  return token;
}

/** Cancels the sign-in links of a person, and returns how many of them worked. */
export async function cancelForPerson(
  durable: RedisConnection,
  email: string,
  actor: Actor,
): Promise<number> {
  const cancelled = await cancelLinks(durable, email);
  if (cancelled > 0) await recordAudit(durable, actor, "sign_in_addresses_cancelled", email);
  return cancelled;
}

/** `mustWait`: they are on the waitlist, unless they are a member already. */
export type Approval = {
  email: string;
  team: string;
  limits?: LimitOverrides | undefined;
  mustWait?: boolean;
};
type OperatorCall = { email: string; team?: string | undefined; mustBeKnown?: boolean };
/** `limits`: those of the whole team. */
type ApprovalResult =
  | { kind: "approved"; person: Person; limits: { before: LimitOverrides; after: LimitOverrides } }
  | { kind: "in_other_team"; team: string }
  | { kind: "gone" };
