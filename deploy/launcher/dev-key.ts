import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { newApiKey, setTeamLimits, storeApiKey, teamLimits } from "@faceline/contracts/runtime/api-keys";
import { connectRedis } from "@faceline/contracts/runtime/redis";
import { unlimited } from "@faceline/contracts/stored/team";

const devKeyForm = /^fl_dev_[A-Za-z0-9_-]{43}$/;

/** The key that this checkout is used with, made once. Whoever reads it may call the API. */
export function readDevKey(file: string): string {
  const before = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  const key = devKeyForm.test(before) ? before : newDevKey();
  if (key !== before) writeFileSync(file, `${key}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return key;
}

export const newDevKey = (): string => newApiKey("fl_dev_");

/**
 * Makes a key known to the ingresses, whose team has no limits. What is known stays as it is: a key that somebody has
 * revoked, and limits that somebody has set.
 */
export async function storeKey(durableUrl: string, key: string, team: string): Promise<void> {
  await using redis = await connectRedis("REDIS_DURABLE_URL", durableUrl, commandMs);
  await storeApiKey(redis, key, { team, name: `${team} key` });
  const { requestsPerSecond } = await teamLimits(redis, team);
  if (requestsPerSecond === undefined) await setTeamLimits(redis, team, unlimited);
}

const commandMs = 5_000;
