import type { Log } from "./log.ts";
import type { RedisConnection } from "./redis.ts";

/**
 * The first release of each line with the fixes of CVE-2022-24834, CVE-2024-31449, CVE-2024-46981 and
 * CVE-2025-49844, as the release notes of both projects state them; Valkey began after the first. On a server
 * without them a user who may run scripts (EVAL), such as the ingress, can run code as the server's account.
 */
const fixedSince: Record<ServerVersion["name"], Record<string, number>> = {
  Redis: { "6.2": 20, "7.2": 11, "7.4": 6, "8.0": 4, "8.2": 2 },
  Valkey: { "7.2": 11, "8.0": 6, "8.1": 4 },
};

/** Says which release to install, for a server that `hasScriptFixes` refuses. */
function missingFixes({ name }: ServerVersion): string {
  const releases = Object.entries(fixedSince[name]).map(([line, patch]) => `${line}.${patch}`);
  return `lacks fixes of its script engine (CVE-2025-49844 and others): install ${releases.join(", ")} or newer`;
}

/**
 * Whether a server of this version has the fixes. False also for a version that a distribution has patched.
 */
export function hasScriptFixes({ name, version }: ServerVersion): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const [newestMajor, newestMinor] = Object.keys(fixedSince[name]).at(-1)!.split(".").map(Number);
  const isNewer = major > newestMajor! || (major === newestMajor && minor > newestMinor!);
  return isNewer || patch >= (fixedSince[name][`${major}.${minor}`] ?? Number.POSITIVE_INFINITY);
}

/**
 * Returns the version that a server prints for `--version`, or undefined. Valkey prints `Valkey server
 * v=9.1.2`, and in its first releases `Server v=7.2.5`; its program may be called `redis-server`.
 */
export function printedVersion(text: string): ServerVersion | undefined {
  const [, name, version] = /^(\w*) ?server v=([0-9.]+)/im.exec(text) ?? [];
  return version === undefined ? undefined : { name: name === "Redis" ? "Redis" : "Valkey", version };
}

/** Returns the version that a server reports in INFO, where Valkey also claims to be Redis 7.2.4. */
function infoVersion(info: string): ServerVersion | undefined {
  const valueOf = (field: string) => new RegExp(`^${field}:(\\S+)`, "m").exec(info)?.[1];
  const valkey = valueOf("valkey_version");
  const version = valkey ?? valueOf("redis_version");
  return version === undefined ? undefined : { name: valkey === undefined ? "Redis" : "Valkey", version };
}

/** Writes a warning if the server of a setting lacks the fixes; none if it does not report its version. */
export async function warnOfOldServer(
  log: Pick<Log, "warn">,
  setting: string,
  redis: Pick<RedisConnection, "info">,
): Promise<void> {
  const server = infoVersion(await redis.info("server").catch(() => ""));
  if (server === undefined || hasScriptFixes(server)) return;
  log.warn(
    `${setting}: ${server.name} ${server.version} ${missingFixes(server)}, unless your distribution or provider has patched this one`,
  );
}

export type ServerVersion = { name: "Redis" | "Valkey"; version: string };
