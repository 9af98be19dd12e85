import { listTeamKeys } from "@faceline/accounts/keys/team-index";
import { lastDays } from "@faceline/accounts/usage/days";
import {
  type CodeErrors,
  type DayUsage,
  readRecentErrors,
  readUsage,
  readUsageByTeam,
} from "@faceline/accounts/usage/read-usage";
import { errorTable } from "@faceline/contracts/http/errors";
import type { RedisConnection } from "@faceline/runtime/redis";
import { textTable } from "./text-table.ts";

/** Returns what to print of the last days: calls and recent errors of a team, or the calls of all teams. */
export async function usageReport(
  redis: RedisConnection,
  { team, days: count, now }: { team?: string | undefined; days: number; now: number },
): Promise<string> {
  const days = lastDays(now, count);
  if (team === undefined) {
    const teams = await readUsageByTeam(redis, days);
    if (teams.length === 0) return `No requests were counted in the last ${count} days (UTC).`;
    const heads = ["team", "requests", "answered", "refused (4xx)", "failed (5xx)", "client left"];
    const rows = teams.map(({ team, calls, answered, refused, failed, left }) =>
      [team, calls, answered, refused, failed, left].map(String),
    );
    return `${textTable([heads, ...rows])}\n\n${tildeNote}`;
  }
  const [usage, errors, keys] = await Promise.all([
    readUsage(redis, team, days),
    readRecentErrors(redis, team),
    listTeamKeys(redis, team),
  ]);
  const keyNames = new Map(keys.map(({ id, name }) => [id, name]));
  const calls = callTable(usage);
  if (calls === undefined) return `No requests of ${team} were counted in the last ${count} days (UTC).`;
  return [calls, ...errors.map((error) => errorText(error, keyNames))].join("\n\n");
}

const tildeNote = "~visitors: callers of the public tester. ~keyless: requests without a known key.";

/** Undefined: there is no call. */
function callTable(usage: DayUsage[]): string | undefined {
  const rows = usage.flatMap(({ day, counts }) =>
    counts
      .toSorted((a, b) => a.endpoint.localeCompare(b.endpoint) || b.calls - a.calls)
      .map(({ endpoint, outcome, calls }) => [day, endpoint, outcome, String(calls)]),
  );
  return rows.length === 0 ? undefined : textTable([["day", "endpoint", "outcome", "requests"], ...rows]);
}

function errorText({ code, newest }: CodeErrors, keyNames: Map<string, string>): string {
  const rows = newest.map(({ at, endpoint, requestId, keyId = "" }) => [
    `  ${new Date(at).toISOString()}`,
    endpoint,
    requestId,
    keyNames.get(keyId) ?? "-",
  ]);
  return `${code}: ${errorTable[code].next}\n${textTable(rows)}`;
}
