import { createHash } from "node:crypto";
import type { RedisConnection } from "@faceline/runtime/redis";
import { RequestRateLimiter } from "./request-rate-limiter.ts";

/**
 * Counts what people try: forms and sign-in links by the address of the network that they come from,
 * mails by the email that they go to, changes of keys by the team. An email that nobody has counts as any
 * other, or the limit would tell which ones exist. Emails are in Redis as SHA-256 alone, and names hold a
 * slash, which those of teams cannot. While Redis is unreachable each process counts alone.
 */
export class AccountLimiter {
  readonly #rates: RequestRateLimiter;

  constructor(redis: RedisConnection) {
    this.#rates = new RequestRateLimiter(redis);
  }

  /** Returns null for a try within the limit, else the milliseconds until another one will be. */
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
  /** Forms of /waitlist from one network, as of four addresses: an office has rarely more at once. */
  network_form: 20,
  /** Mails with a sign-in link to one email. */
  mail: 3,
  /** Sign-in links without effect that one address of the network tries. */
  sign_in_address: 60,
  /** Keys that a team creates, replaces or renames. Revoked ones stay in the durable Redis. */
  key: 60,
};

export type AccountLimit = keyof typeof triesPerHour;
