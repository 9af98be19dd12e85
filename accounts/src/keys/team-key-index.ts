import { type ListedKey, listApiKeys, readApiKeys } from "@faceline/contracts/runtime/api-keys";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import { teamKeysCheckedKey, teamKeysKey } from "@faceline/contracts/wire/names";

/**
 * Returns the keys of a team, the oldest first, revoked and expired ones included. It reads the set of the
 * team's keys, so that its cost does not depend on what else is stored.
 */
export async function listTeamKeys(durable: RedisConnection, team: string): Promise<ListedKey[]> {
  await indexMissingKeys(durable);
  const keys = await readApiKeys(durable, await durable.smembers(teamKeysKey(team)));
  return keys.filter((key) => key.team === team).toSorted((a, b) => a.createdAt - b.createdAt);
}

/**
 * Puts all keys into the sets of their teams, once a day. A release before the sets stored keys without them,
 * and may run beside this one during a rollout.
 */
export async function indexMissingKeys(durable: RedisConnection): Promise<void> {
  if ((await durable.get(teamKeysCheckedKey)) !== null) return;
  const byTeam = Map.groupBy(await listApiKeys(durable), ({ team }) => team);
  for (const [team, keys] of byTeam) {
    await durable.sadd(teamKeysKey(team), ...keys.map(({ sha256 }) => sha256));
  }
  // Last: a check that broke off is made again.
  await durable.set(teamKeysCheckedKey, "1", "EX", checkedSeconds);
}

const checkedSeconds = 86_400;
