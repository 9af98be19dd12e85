import { lastDays } from "@faceline/accounts/usage/days";
import {
  type CodeErrors,
  type DayUsage,
  readRecentErrors,
  readUsage,
  readUsageByTeam,
  type TeamUsage,
} from "@faceline/accounts/usage/read-usage";
import { allTeams } from "@faceline/accounts/usage/write-usage";
import type { RedisConnection } from "@faceline/runtime/redis";

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

/**
 * Returns the calls of all callers in the last 30 days, by day and by team: two reads for each day. Throws
 * what its commands throw.
 */
export async function readServiceUsage(durable: RedisConnection, now: number): Promise<UsageOfService> {
  const names = lastDays(now, usageDaysShown);
  const [days, teams] = await Promise.all([
    readUsage(durable, allTeams, names),
    readUsageByTeam(durable, names),
  ]);
  return { days, teams };
}

const usageDaysShown = 30;

/** `days`: the oldest first. */
type UsageOfTeam = { days: DayUsage[]; errors: CodeErrors[] };
/** `teams`: those with most calls first, with the names under which calls without a team are counted. */
type UsageOfService = { days: DayUsage[]; teams: TeamUsage[] };
