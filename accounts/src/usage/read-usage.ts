import { ErrorCode } from "@faceline/contracts/http/errors";
import { readMessage } from "@faceline/runtime/message";
import type { RedisConnection } from "@faceline/runtime/redis";
import { recentErrorsKey, usageByTeamKey, usageKey } from "@faceline/contracts/wire/names";
import { CallOutcome, OutcomeKind } from "./call-outcome.ts";
import { RecentError, recentErrorsMax } from "./recent-error.ts";

/**
 * Returns the calls of a team on each of the days, in the order of `days`. `allTeams` in place of a team: the
 * calls of all callers. Fields that cannot be read are left out. Throws when the server cannot be reached.
 */
export async function readUsage(
  durable: RedisConnection,
  team: string,
  days: readonly string[],
): Promise<DayUsage[]> {
  const hashes = await Promise.all(days.map((day) => durable.hgetall(usageKey(team, day))));
  return days.map((day, index) => ({
    day,
    counts: fieldsOf(hashes[index]!).flatMap(([endpoint, outcome, calls]) => {
      const known = CallOutcome.safeParse(outcome);
      return known.success ? [{ endpoint, outcome: known.data, calls }] : [];
    }),
  }));
}

/**
 * Returns the calls of every team on these days together, those with most calls first. Visitors of the public
 * tester and callers without a valid key are among them, under their names with "~". Days are read one
 * after the other, and in parts: a day may have thousands of teams, and an ingress serves calls meanwhile.
 */
export async function readUsageByTeam(
  durable: RedisConnection,
  days: readonly string[],
): Promise<TeamUsage[]> {
  const teams = new Map<string, TeamUsage>();
  for (const day of days) {
    for await (const part of hashParts(durable, usageByTeamKey(day))) {
      for (const [team, name, calls] of fieldsOf(part)) {
        const kind = OutcomeKind.safeParse(name);
        if (!kind.success) continue;
        const usage = teams.get(team) ?? { team, calls: 0, answered: 0, refused: 0, failed: 0, left: 0 };
        usage.calls += calls;
        usage[kind.data] += calls;
        teams.set(team, usage);
      }
    }
  }
  return [...teams.values()].toSorted((a, b) => b.calls - a.calls || a.team.localeCompare(b.team));
}

/** Returns the newest failed calls of a team by error code, the code that came last first. */
export async function readRecentErrors(durable: RedisConnection, team: string): Promise<CodeErrors[]> {
  const lists = await Promise.all(
    ErrorCode.options.map((code) =>
      durable.lrangeBuffer(recentErrorsKey(team, code), 0, recentErrorsMax - 1),
    ),
  );
  return ErrorCode.options
    .map((code, index) => ({
      code,
      newest: lists[index]!.map((json) => readMessage(RecentError, json))
        .flatMap((parsed) => (parsed.ok ? [parsed.value] : []))
        .toSorted((a, b) => b.at - a.at),
    }))
    .filter(({ newest }) => newest.length > 0)
    .toSorted((a, b) => b.newest[0]!.at - a.newest[0]!.at);
}

/** A hash in parts, each field once: a scan may return one again. */
async function* hashParts(durable: RedisConnection, key: string): AsyncGenerator<Record<string, string>> {
  const seen = new Set<string>();
  let cursor = "0";
  do {
    const [next, list] = await durable.hscan(key, cursor, "COUNT", fieldsOfPart);
    cursor = next;
    const part: Record<string, string> = {};
    for (let i = 0; i < list.length; i += 2) {
      const field = list[i]!;
      if (!seen.has(field)) part[field] = list[i + 1]!;
      seen.add(field);
    }
    yield part;
  } while (cursor !== "0");
}

/** Some milliseconds of an ingress, which reads and parses them at once. */
const fieldsOfPart = 1_000;

/** Splits fields of two words with a space between them. */
const fieldsOf = (hash: Record<string, string>): [string, string, number][] =>
  Object.entries(hash).flatMap(([field, value]): [string, string, number][] => {
    const [first, second, ...rest] = field.split(" ");
    const calls = Number(value);
    const readable = second !== undefined && rest.length === 0 && Number.isSafeInteger(calls);
    return readable ? [[first!, second, calls]] : [];
  });

export type DayUsage = { day: string; counts: UsageCount[] };
export type UsageCount = { endpoint: string; outcome: CallOutcome; calls: number };
/** `refused`: 4xx. `failed`: 5xx. `left`: the client left before its response. */
export type TeamUsage = { team: string; calls: number } & Record<OutcomeKind, number>;
/** `newest`: the newest first. */
export type CodeErrors = { code: ErrorCode; newest: RecentError[] };
