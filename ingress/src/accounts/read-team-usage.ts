import { lastDays } from "@faceline/accounts/usage/days";
import {
  type CodeErrors,
  type DayUsage,
  readRecentErrors,
  readUsage,
} from "@faceline/accounts/usage/read-usage";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";

// Covered by ./usage-counter.live.test.ts.

/** Returns the calls of a team in the last 30 days, and its recent errors. Throws what its commands throw. */
export async function readTeamUsage(
  durable: RedisConnection,
  team: string,
  now: number,
): Promise<UsageOfTeam> {
  const [days, errors] = await Promise.all([
    readUsage(durable, team, lastDays(now, usageDaysShown)),
    readRecentErrors(durable, team),
  ]);
  return { days, errors };
}

const usageDaysShown = 30;

/** `days`: the oldest first. */
export type UsageOfTeam = { days: DayUsage[]; errors: CodeErrors[] };
