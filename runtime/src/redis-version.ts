import type { Log } from "./log.ts";
import type { RedisConnection } from "./redis.ts";

/**
 * The first release of each line with the fixes of CVE-2022-24834, CVE-2024-31449, CVE-2024-46981 and
 * CVE-2025-49844. On a server without them a user who may run scripts (EVAL), such as the ingress, can run
 * code as the server's account.
 */
const fixedSince: Record<string, number> = { "6.2": 20, "7.2": 11, "7.4": 6, "8.0": 4, "8.2": 2 };
const newestLine = [8, 2] as const;

/** Text beside the version of a server that `hasScriptFixes` refuses. */
export const missingFixes =
  "lacks fixes of its script engine (CVE-2025-49844 and others): install 6.2.20, 7.2.11, 7.4.6, 8.0.4, 8.2.2 or newer";

/**
 * Whether Redis of this version has the fixes. False also for a version that a distribution has patched: see
 * `deploy/launcher/redis-install.ts`.
 */
export function hasScriptFixes(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const isNewer = major > newestLine[0] || (major === newestLine[0] && minor > newestLine[1]);
  return isNewer || patch >= (fixedSince[`${major}.${minor}`] ?? Number.POSITIVE_INFINITY);
}

/**
 * Writes a warning if the server of a setting is a Redis without the fixes. Where it does not say what it is,
 * there is none, nor for Valkey, which has versions of its own.
 */
export async function warnOfOldServer(
  log: Pick<Log, "warn">,
  setting: string,
  redis: Pick<RedisConnection, "info">,
): Promise<void> {
  const info = await redis.info("server").catch(() => "");
  const version = /^redis_version:(\S+)/m.exec(info)?.[1];
  if (version === undefined || /^valkey_version:/m.test(info) || hasScriptFixes(version)) return;
  log.warn(
    `${setting}: Redis ${version} ${missingFixes}, unless your distribution or provider has patched this one`,
  );
}
