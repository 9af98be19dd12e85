import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import type { LimitOverrides } from "@faceline/contracts/stored/team";
import { type Actor, recordAudit } from "../audit/audit-log.ts";
import { markDeclined, unmarkDeclined } from "./applicants.ts";
import { findPerson, type Person, storePerson } from "./person.ts";
import { cancelAddresses, issueSignInToken } from "./sign-in-address.ts";
import { setLimits } from "./teams.ts";
import { leaveWaitlist } from "./waitlist.ts";

/** The team of an operator who has no other. */
const operatorsTeam = "operators";

/**
 * Makes somebody a member of a team, whether they are on the waitlist or not, and takes them off it. The team
 * is created when there is none; limits that are absent stay as they are. Each step may be repeated, so an
 * approval that broke off is approved again. A person who is in another team already stays there.
 */
export async function approve(
  durable: RedisConnection,
  { email, team, limits = {} }: Approval,
  actor: Actor,
): Promise<ApprovalResult> {
  const known = await findPerson(durable, email);
  if (known !== null && known.team !== team) return { kind: "in_other_team", team: known.team };
  // Limits first, so that nobody calls without them.
  const change = await setLimits(durable, { team, limits });
  const person = known ?? { email, team, role: "member" as const, createdAt: Date.now() };
  if (known === null) await storePerson(durable, person);
  await recordAudit(durable, actor, "waitlist_approved", email, { team, limits: change });
  await unmarkDeclined(durable, email);
  // Last: until then, an approval that broke off is still on the waitlist.
  await leaveWaitlist(durable, email);
  return { kind: "approved", person, limits: change };
}

/**
 * Takes somebody off the waitlist. Returns false when they are not on it. Who is a member stays one, and is
 * not marked as declined.
 */
export async function decline(durable: RedisConnection, email: string, actor: Actor): Promise<boolean> {
  if (!(await leaveWaitlist(durable, email))) return false;
  if ((await findPerson(durable, email)) === null) await markDeclined(durable, email);
  await recordAudit(durable, actor, "waitlist_declined", email);
  return true;
}

/**
 * Makes somebody an operator. A person keeps their team; others get `team`, by default `operators`.
 * Whoever is an operator stays one, without another entry in the audit log.
 */
export async function makeOperator(
  durable: RedisConnection,
  { email, team = operatorsTeam }: { email: string; team?: string | undefined },
  actor: Actor,
): Promise<{ person: Person; wasOperator: boolean }> {
  const known = await findPerson(durable, email);
  const wasOperator = known?.role === "operator";
  const person: Person = {
    ...(known ?? { email, team, createdAt: Date.now() }),
    role: "operator",
  };
  await setLimits(durable, { team: person.team, limits: {} });
  if (!wasOperator) {
    // The entry first: a call that breaks off in between and is repeated leaves two entries, never none.
    await recordAudit(durable, actor, "operator_made", email, { team: person.team });
    await storePerson(durable, person);
  }
  await unmarkDeclined(durable, email);
  await leaveWaitlist(durable, email);
  return { person, wasOperator };
}

/**
 * Returns a sign-in token for an operator to send, or null when nobody has this email. It takes the place of
 * all that the person has, because an operator makes one when the earlier one is lost.
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

/** Cancels the sign-in addresses of a person, and returns how many of them worked. */
export async function cancelForPerson(
  durable: RedisConnection,
  email: string,
  actor: Actor,
): Promise<number> {
  const cancelled = await cancelAddresses(durable, email);
  if (cancelled > 0) await recordAudit(durable, actor, "sign_in_addresses_cancelled", email);
  return cancelled;
}

type Approval = { email: string; team: string; limits?: LimitOverrides | undefined };
/** `limits`: of the whole team. */
type ApprovalResult =
  | { kind: "approved"; person: Person; limits: { before: LimitOverrides; after: LimitOverrides } }
  | { kind: "in_other_team"; team: string };
