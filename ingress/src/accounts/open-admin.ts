import {
  type Actor,
  type AuditAction,
  type AuditDetails,
  listAudit,
  recordAudit,
} from "@faceline/accounts/audit/audit-log";
import { listTeamKeys } from "@faceline/accounts/keys/team-index";
import type { SendMail } from "@faceline/accounts/mail/mail-server";
import { signInMessage } from "@faceline/accounts/mail/sign-in-mail";
import { listApplicants } from "@faceline/accounts/people/applicants";
import {
  type Approval,
  approve,
  cancelForPerson,
  decline,
  issueForPerson,
  makeOperator,
} from "@faceline/accounts/people/approval";
import { listPeople } from "@faceline/accounts/people/person";
import { endSessions, listSessions } from "@faceline/accounts/people/sessions";
import { listOpenLinks, signInLink } from "@faceline/accounts/people/sign-in-link";
import { findTeam, listTeams, replaceLimits } from "@faceline/accounts/people/teams";
import type { RedisConnection } from "@faceline/runtime/redis";
import type { LimitOverrides } from "@faceline/contracts/stored/team";
import type { SentLink } from "@faceline/web/accounts/admin-link-pages";
import { readServiceUsage } from "./read-team-usage.ts";

/**
 * Connects the pages of operators to the durable Redis and to the mail. All functions throw while that Redis
 * is unreachable.
 */
export function openAdmin({ durable, sendMail, hours }: AdminParts) {
  return {
    waitlist: () => listApplicants(durable),
    approve: (approval: Approval, actor: Actor) => approve(durable, approval, actor),
    decline: (email: string, actor: Actor) => decline(durable, email, actor),
    people: () => listPeople(durable),
    /** Returns false if nobody has this email any more. */
    makeOperator: async (email: string, actor: Actor) =>
      (await makeOperator(durable, { email, mustBeKnown: true }, actor)) !== null,
    sessions: (email: string) => listSessions(durable, email),
    async endSessions(email: string, actor: Actor) {
      await endSessions(durable, email);
      await recordAudit(durable, actor, "sessions_ended", email);
    },
    openLinks: (email: string) => listOpenLinks(durable, email),
    cancelLinks: (email: string, actor: Actor) => cancelForPerson(durable, email, actor),
    /**
     * Makes a sign-in link below `origin` and mails it, if that is set up. It replaces those that work. Null:
     * nobody has this email.
     */
    async sendAddress(email: string, origin: string, actor: Actor): Promise<SentLink | null> {
      const token = await issueForPerson(durable, { email, hours }, actor);
      if (token === null) return null;
      const address = signInLink(origin, token);
      if (sendMail === undefined) return { kind: "shown", address };
      // Not in the background: the operator can otherwise deliver the link.
      try {
        await sendMail(signInMessage(email, { address, hours }));
        return { kind: "mailed" };
      } catch (error) {
        return { kind: "shown", address, mailFault: (error as Error).message };
      }
    },
    teams: () => listTeams(durable, Date.now()),
    team: (name: string) => findTeam(durable, name, Date.now()),
    setLimits: (team: string, limits: LimitOverrides, actor: Actor, seen?: LimitOverrides) =>
      replaceLimits(durable, { team, limits, seen }, actor),
    usage: () => readServiceUsage(durable, Date.now()),
    /** The newest entries first, only those before the entry `before`, and the keys that they name. */
    async audit(range: { count: number; before?: string | undefined }) {
      const entries = await listAudit(durable, range);
      // A list for each team of the page: scanning all keys would grow with everything that is stored.
      const teams = new Set(entries.flatMap(({ action, details }) => teamOfKey(action, details)));
      const keys = await Promise.all([...teams].map((team) => listTeamKeys(durable, team)));
      return { entries, keys: keys.flat() };
    },
  };
}

const teamOfKey = (action: AuditAction, { team }: AuditDetails): string[] =>
  action.startsWith("key_") && team !== undefined ? [team] : [];

type AdminParts = {
  durable: RedisConnection;
  /** Undefined: no mail server is set. */
  sendMail: SendMail | undefined;
  /** How long a sign-in link is valid. */
  hours: number;
};
