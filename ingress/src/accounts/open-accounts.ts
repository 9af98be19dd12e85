import { recordAudit } from "@faceline/accounts/audit/audit-log";
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
import { signInMessage } from "@faceline/accounts/mail/sign-in-mail";
import { findPerson } from "@faceline/accounts/people/person";
import { endSession, findSession, storeSession, touchSession } from "@faceline/accounts/people/sessions";
import {
  consumeSignInToken,
  findSignInToken,
  issueSignInToken,
  signInLink,
} from "@faceline/accounts/people/sign-in-link";
import { joinWaitlist } from "@faceline/accounts/people/waitlist";
import { teamLimits } from "@faceline/accounts/keys/api-keys";
import type { DurableRedisConfig, RedisConnection, VolatileConnection } from "@faceline/runtime/redis";
import type { DedupedLog } from "@faceline/runtime/deduped-log";
import { AccountLimiter } from "../limits/account-limiter.ts";
import type { AccountPorts } from "./account-ports.ts";
import { openAdmin } from "./open-admin.ts";
import { readTeamUsage } from "./read-team-usage.ts";

/**
 * Connects the pages for people to the durable Redis, to the limits in the volatile one, and to the mail
 * server. Throws a sentence when a mail server is set and no sender.
 */
export function openAccounts({ durable, redis, settings, dedupedLog }: AccountParts): AccountPorts {
  const { SESSION_DAYS: days, SIGN_IN_LINK_HOURS: hours, PUBLIC_URL: publicUrl } = settings;
  const limiter = new AccountLimiter(redis);
  const sendMail = openMailServer(settings);
  return {
    available: () => durable.isResponsive,
    sessions: {
      find: (id) => findSession(durable, id),
      create: async (id, session) => void (await storeSession(durable, id, session, days)),
      touch: (id, session) => touchSession(durable, id, session, days),
      end: (id) => endSession(durable, id),
    },
    findPerson: (email) => findPerson(durable, email),
    joinWaitlist: (entry, network) => joinWaitlist(durable, { ...entry, network }),
    signInLinks: {
      find: (token) => findSignInToken(durable, token),
      consume: (token) => consumeSignInToken(durable, token),
      async mail(email, language) {
        const token = await issueSignInToken(durable, email, { hours });
        if (token === null) return;
        const address = signInLink(publicUrl, token);
        await sendMail?.(signInMessage(email, { address, hours }, language)).catch((error: Error) => {
          // Nobody waits for this mail here: the operator must learn of it otherwise.
          dedupedLog.warn({ reason: error.message }, "a mail with a sign-in link was not sent");
          throw error;
        });
      },
      mailed: sendMail !== undefined,
    },
    keys: {
      max: teamKeysMax,
      list: (team) => listTeamKeys(durable, team),
      create: (team, name, actor) => createTeamKey(durable, { team, name, member: actor.by }, actor),
      rename: (team, id, name, actor) => renameTeamKey(durable, { team, id, name }, actor),
      rotate: (team, id, overlapHours, actor) =>
        rotateTeamKey(durable, { team, id, overlapHours, member: actor.by }, actor),
      revoke: (team, id, actor) => revokeTeamKey(durable, { team, id }, actor),
    },
    admin: openAdmin({ durable, sendMail, hours }),
    teamLimits: (team) => teamLimits(durable, team),
    teamUsage: (team) => readTeamUsage(durable, team, Date.now()),
    recordAudit: (actor, action) => recordAudit(durable, actor, action, actor.by),
    countTry: (limit, who) => limiter.countTry(limit, who),
  };
}

type AccountParts = {
  durable: RedisConnection;
  redis: VolatileConnection;
  dedupedLog: Pick<DedupedLog, "warn">;
  settings: DurableRedisConfig &
    MailConfig & { SESSION_DAYS: number; SIGN_IN_LINK_HOURS: number; PUBLIC_URL: string };
};
