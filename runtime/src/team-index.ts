import { apiKeyKey, teamKey, teamKeysKey, teamsKey } from "@faceline/contracts/wire/names";
import { type ListedKey, readApiKeys } from "./api-keys.ts";
import type { RedisConnection } from "./redis.ts";

// Sets of what the durable Redis stores, so that no service needs the right to scan it.

/** Returns the names of all teams that were given keys or limits. */
export const listTeamNames = (durable: RedisConnection): Promise<string[]> => durable.smembers(teamsKey);

/** Returns every key of these teams, by default of all, ordered by team, then by time of creation. */
export async function listApiKeys(durable: RedisConnection, teams?: string[]): Promise<ListedKey[]> {
  const names = teams ?? (await listTeamNames(durable));
  const keys: ListedKey[] = [];
  for (let start = 0; start < names.length; start += teamsAtATime) {
    const part = names.slice(start, start + teamsAtATime);
    keys.push(...(await Promise.all(part.map((team) => keysOf(durable, team)))).flat());
  }
  return keys.toSorted((a, b) => a.team.localeCompare(b.team) || a.createdAt - b.createdAt);
}

const teamsAtATime = 100;

/** Returns the keys of a team, the oldest first, revoked and expired ones included. */
export const listTeamKeys = (durable: RedisConnection, team: string): Promise<ListedKey[]> =>
  listApiKeys(durable, [team]);

/** A digest in the set whose key is gone, or belongs to another team, is left out. */
async function keysOf(durable: RedisConnection, team: string): Promise<ListedKey[]> {
  const keys = await readApiKeys(durable, await durable.smembers(teamKeysKey(team)));
  return keys.filter((key) => key.team === team);
}

/**
 * Puts the teams and keys into the sets that a release before these stored without them. Scans the names of
 * everything stored, so it needs a user who may: that of `npm run keys`, whom `npm start` and set-up use too.
 */
export async function indexTeams(durable: RedisConnection): Promise<void> {
  for await (const names of scan(durable, teamKey("*"))) {
    await durable.sadd(teamsKey, ...names.map((name) => name.slice(teamKey("").length)));
  }
  for await (const names of scan(durable, apiKeyKey("*"))) {
    const digests = names.map((name) => name.slice(apiKeyKey("").length));
    const byTeam = Map.groupBy(await readApiKeys(durable, digests), ({ team }) => team);
    for (const [team, keys] of byTeam) {
      await durable.sadd(teamsKey, team);
      await durable.sadd(teamKeysKey(team), ...keys.map(({ sha256 }) => sha256));
    }
  }
}

async function* scan(durable: RedisConnection, pattern: string): AsyncGenerator<string[]> {
  let cursor = "0";
  do {
    const [next, names] = await durable.scan(cursor, "MATCH", pattern, "COUNT", 500);
    cursor = next;
    if (names.length > 0) yield names;
  } while (cursor !== "0");
}
