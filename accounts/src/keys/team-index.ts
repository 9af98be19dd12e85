import { teamKeysKey, teamsKey } from "@faceline/contracts/wire/names";
import { type ListedKey, readApiKeys } from "./api-keys.ts";
import type { RedisConnection } from "@faceline/runtime/redis";

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

/** A digest in the set whose key is gone or belongs to another team is skipped. */
async function keysOf(durable: RedisConnection, team: string): Promise<ListedKey[]> {
  const keys = await readApiKeys(durable, await durable.smembers(teamKeysKey(team)));
  return keys.filter((key) => key.team === team);
}
