import { createHash } from "node:crypto";
import type { RedisConnection } from "@faceline/runtime/redis";
import { RequestRateLimiter } from "./request-rate-limiter.ts";

/**
 * Counts what people try: forms and sign-in addresses by the address of the network that they come from,
 * mails by the email that they go to, changes of keys by the team. An email that nobody has counts as any
 * other, or the limit would tell which ones exist. Emails are in Redis as SHA-256 alone, and names hold a
 * slash, which those of teams cannot. While Redis is unreachable each process counts alone.
 */
export class AccountLimiter {
  readonly #rates: RequestRateLimiter;
  readonly #perHour: Record<AccountLimit, number>;

  constructor(redis: RedisConnection, settings: AccountLimits) {
    this.#rates = new RequestRateLimiter(redis);
    this.#perHour = {
      form: settings.ACCOUNT_FORMS_PER_HOUR,
      network_form: settings.ACCOUNT_FORMS_PER_HOUR * addressesOfNetwork,
      mail: settings.SIGN_IN_MAILS_PER_HOUR,
      sign_in_address: settings.SIGN_IN_ADDRESSES_PER_HOUR,
      key: settings.TEAM_KEYS_PER_HOUR,
    };
  }

  /** Returns null for a try within the limit, else the milliseconds until another one will be. */
  async countTry(limit: AccountLimit, who: string): Promise<number | null> {
    const perHour = this.#perHour[limit];
    const name = limit === "mail" ? createHash("sha256").update(who).digest("base64url") : who;
    const limits = { requestsPerSecond: perHour / 3_600, requestsBurst: perHour };
    const decision = await this.#rates.consume(`accounts/${limit}/${name}`, limits);
    return decision.retryAfterMs;
  }
}

/** Addresses of a network that may join at their limit at once; an office has rarely more. */
const addressesOfNetwork = 4;

type AccountLimit = "form" | "network_form" | "mail" | "sign_in_address" | "key";

export type AccountLimits = {
  ACCOUNT_FORMS_PER_HOUR: number;
  SIGN_IN_MAILS_PER_HOUR: number;
  SIGN_IN_ADDRESSES_PER_HOUR: number;
  TEAM_KEYS_PER_HOUR: number;
};
