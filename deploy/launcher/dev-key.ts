import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { newApiKey, setTeamLimits, storeApiKey, teamLimits } from "@faceline/accounts/keys/api-keys";
import { readConfig } from "@faceline/runtime/config";
import { connectDurableRedis, DurableRedisConfig } from "@faceline/runtime/redis";
import { unlimited } from "@faceline/contracts/stored/team";

const devKeyPattern = /^fl_dev_[A-Za-z0-9_-]{43}$/;

/** Returns the development key of this checkout. Creates it when the file is missing or damaged. */
export function readDevKey(file: string): string {
  const stored = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  const key = devKeyPattern.test(stored) ? stored : newDevKey();
  if (key !== stored) writeFileSync(file, `${key}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return key;
}

export const newDevKey = (): string => newApiKey("fl_dev_");

/**
 * Stores a key for the ingresses, with a team without limits. Existing records are kept: a revoked key stays
 * revoked, and limits that were set stay set. `env` has the settings of the durable Redis.
 */
export async function storeKey(env: NodeJS.ProcessEnv, key: string, team: string): Promise<void> {
  const config = readConfig(DurableRedisConfig, { ...env, REDIS_COMMAND_MS: `${commandMs}` });
  await using redis = await connectDurableRedis(config);
  await storeApiKey(redis, key, { team, name: `${team} key` });
  const { requestsPerSecond } = await teamLimits(redis, team);
  if (requestsPerSecond === undefined) await setTeamLimits(redis, team, unlimited);
}

const commandMs = 5_000;
