import type { FastifyRequest } from "fastify";
import { visitorAddress } from "../tester/visitors.ts";
import type { AccountLimit } from "../limits/account-limiter.ts";
import type { Accounts } from "./open-accounts.ts";
import { PageRefusal } from "./page-refusal.ts";

/** Counts a try of the sender's address. Throws a PageRefusal above the limit. */
export async function countTry(
  accounts: Pick<Accounts, "countTry">,
  limit: AccountLimit,
  who: FastifyRequest | string,
): Promise<void> {
  const name = typeof who === "string" ? who : visitorAddress(who);
  const waitMs = await accounts.countTry(limit, name);
  if (waitMs === null) return;
  throw new PageRefusal(limit === "sign_in_address" ? "too_many_tries" : "too_many_forms", waitMs);
}

/** Throws a PageRefusal while the durable Redis is away: a form that cannot be answered is not shown. */
export function requireAvailable(accounts: Pick<Accounts, "available">): void {
  if (!accounts.available()) throw new PageRefusal("accounts_away");
}
