import { createHash } from "node:crypto";
import type { RedisConnection } from "@faceline/runtime/redis";
import { RequestRateLimiter } from "./request-rate-limiter.ts";

/**
 * Counts attempts: forms and sign-in links by network address, mails by recipient, changes of keys by team.
 * An unknown email counts like any other, or the limit would reveal which ones exist. In Redis, emails are
 * only stored as SHA-256, and names contain a slash, which team names cannot. While Redis is unreachable,
 * each process counts alone.
 */
export class AccountLimiter {
  readonly #rates: RequestRateLimiter;

  constructor(redis: RedisConnection) {
    this.#rates = new RequestRateLimiter(redis);
  }

  /** Returns null for an attempt within the limit, else the milliseconds until the next one is allowed. */
  async countTry(limit: AccountLimit, who: string): Promise<number | null> {
    const perHour = triesPerHour[limit];
    const name = limit === "mail" ? createHash("sha256").update(who).digest("base64url") : who;
    const limits = { requestsPerSecond: perHour / 3_600, requestsBurst: perHour };
    const decision = await this.#rates.consume(`accounts/${limit}/${name}`, limits);
    return decision.retryAfterMs;
  }
}

/** More than anybody needs by hand, and too few to fill the waitlist, a mailbox or the durable Redis. */
const triesPerHour = {
  /** Forms of /waitlist and /sign-in from one address of the network. */
  form: 5,
  /** Forms of /waitlist from one network, as from four addresses: an office rarely sends more at once. */
  network_form: 20,
  /** Mails with a sign-in link to one email. */
  mail: 3,
  /** Sign-in links without effect that one network address tries. */
  sign_in_address: 60,
  /** Keys that a team creates, replaces or renames. Revoked ones stay in the durable Redis. */
  key: 60,
};

export type AccountLimit = keyof typeof triesPerHour;
