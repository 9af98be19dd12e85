import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readConfig } from "@faceline/runtime/config";
import { connectDurableRedis, DurableRedisConfig, type RedisConnection } from "@faceline/runtime/redis";
import { durableAccess } from "../launcher/server-access.ts";
import { LauncherConfig } from "../launcher/settings.ts";
import { repository, secretsFolder } from "../launcher/state-folder.ts";

const commandMs = "5000";

const startAdvice =
  "start Faceline with `npm start`, or set REDIS_DURABLE_URL (REDIS_DURABLE_PORT, FACELINE_STATE) as for it.";

/**
 * Connects to the durable Redis of a running Faceline: as the user `keys` of the server that `npm start` has
 * started, or as the operator's settings say. Throws a sentence if nobody is there.
 */
export async function connectKeysRedis(): Promise<{ redis: RedisConnection; config: DurableRedisConfig }> {
  const launch = readConfig(LauncherConfig, process.env);
  const secrets = secretsFolder(resolve(repository, launch.FACELINE_STATE));
  const access = durableAccess(launch, secrets, "keys");
  try {
    const env = { ...process.env, ...access, REDIS_COMMAND_MS: commandMs };
    const config = readConfig(DurableRedisConfig, env);
    return { redis: await connectDurableRedis(config), config };
  } catch (cause) {
    const passwordFile = launch.REDIS_DURABLE_URL === undefined ? access["REDIS_DURABLE_PASSWORD_FILE"]! : "";
    const neverStarted = passwordFile !== "" && !existsSync(passwordFile);
    if (!neverStarted && !(cause as Error).message.includes("no Redis server")) throw cause;
    const what = launch.REDIS_DURABLE_URL === undefined ? startAdvice : (cause as Error).message;
    throw new Error(`The Redis server of the keys cannot be reached: ${what}`, { cause });
  }
}
