import { type Actor, recordAudit } from "@faceline/accounts/audit/audit-log";
import { listTeamKeys } from "@faceline/accounts/keys/team-index";
import {
  createTeamKey,
  renameTeamKey,
  revokeTeamKey,
  rotateTeamKey,
  teamKeysMax,
} from "@faceline/accounts/keys/team-keys";
import type { MailConfig } from "@faceline/accounts/mail/config";
import { openMailServer } from "@faceline/accounts/mail/mail-server";
import { type MailLanguage, signInMessage } from "@faceline/accounts/mail/sign-in-mail";
import { findPerson } from "@faceline/accounts/people/person";
import {
  endSession,
  findSession,
  storeSession,
  touchSession,
  sessionDays,
} from "@faceline/accounts/people/sessions";
import {
  consumeSignInToken,
  findSignInToken,
  issueSignInToken,
  signInLink,
  signInLinkHours,
} from "@faceline/accounts/people/sign-in-link";
import { joinWaitlist } from "@faceline/accounts/people/waitlist";
import { teamLimits } from "@faceline/accounts/keys/api-keys";
import type { DurableRedisConfig, RedisConnection, VolatileConnection } from "@faceline/runtime/redis";
import type { DedupedLog } from "@faceline/runtime/deduped-log";
import { type AccountLimit, AccountLimiter } from "../limits/account-limiter.ts";
import { openAdmin } from "./open-admin.ts";
import { readTeamUsage } from "./read-team-usage.ts";

/**
 * Connects the pages for people to the durable Redis, to the limits in the volatile one, and to the mail
 * server. Throws a sentence when a mail server is set and no sender. Each function that reads or writes the
 * durable Redis throws while it is unreachable.
 */
export function openAccounts({ durable, redis, settings, dedupedLog }: AccountParts) {
  const { PUBLIC_URL: publicUrl } = settings;
  const limiter = new AccountLimiter(redis);
  const sendMail = openMailServer(settings);
  return {
    /** Whether the durable Redis has answered lately. */
    available: (): boolean => durable.isResponsive,
    /** Sessions by the secret ids in cookies of browsers; only the SHA-256 of an id is stored. */
    sessions: {
      find: (id: string) => findSession(durable, id),
      create: async (id: string, session: StoredSession): Promise<void> =>
        void (await storeSession(durable, id, session, sessionDays)),
      touch: (id: string, session: StoredSession) => touchSession(durable, id, session, sessionDays),
      end: (id: string) => endSession(durable, id),
    },
    findPerson: (email: string) => findPerson(durable, email),
    joinWaitlist: (entry: WaitlistForm, network: string) => joinWaitlist(durable, { ...entry, network }),
    signInLinks: {
      find: (token: string) => findSignInToken(durable, token),
      consume: (token: string) => consumeSignInToken(durable, token),
      /** Makes a link for a person and mails it. Does nothing for an email that nobody has. */
      async mail(email: string, language: MailLanguage): Promise<void> {
        const token = await issueSignInToken(durable, email, { hours: signInLinkHours });
        if (token === null) return;
        const address = signInLink(publicUrl, token);
        await sendMail?.(signInMessage(email, { address, hours: signInLinkHours }, language)).catch(
          (error: Error) => {
            // Nobody waits for this mail here: the operator must learn about it in another way.
            dedupedLog.warn({ reason: error.message }, "a mail with a sign-in link was not sent");
            throw error;
          },
        );
      },
      /** False: no mail server is set, so operators have to pass links on. */
      mailed: sendMail !== undefined,
    },
    keys: {
      max: teamKeysMax,
      list: (team: string) => listTeamKeys(durable, team),
      create: (team: string, name: string, actor: Actor) =>
        createTeamKey(durable, { team, name, member: actor.by }, actor),
      rename: (team: string, id: string, name: string, actor: Actor) =>
        renameTeamKey(durable, { team, id, name }, actor),
      rotate: (team: string, id: string, overlapHours: number, actor: Actor) =>
        rotateTeamKey(durable, { team, id, overlapHours, member: actor.by }, actor),
      revoke: (team: string, id: string, actor: Actor) => revokeTeamKey(durable, { team, id }, actor),
    },
    admin: openAdmin({ durable, sendMail, hours: signInLinkHours }),
    teamLimits: (team: string) => teamLimits(durable, team),
    teamUsage: (team: string) => readTeamUsage(durable, team, Date.now()),
    recordAudit: (actor: Actor, action: "signed_in" | "signed_out") =>
      recordAudit(durable, actor, action, actor.by),
    /** See `AccountLimiter`. Does not throw. */
    countTry: (limit: AccountLimit, who: string) => limiter.countTry(limit, who),
  };
}

export type Accounts = ReturnType<typeof openAccounts>;

/** Instants are epoch milliseconds. */
export type StoredSession = { email: string; createdAt: number; seenAt: number };
type WaitlistForm = { email: string; text: string };

type AccountParts = {
  durable: RedisConnection;
  redis: VolatileConnection;
  dedupedLog: Pick<DedupedLog, "warn">;
  settings: DurableRedisConfig & MailConfig & { PUBLIC_URL: string };
};
