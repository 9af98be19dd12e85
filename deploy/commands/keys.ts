import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { listWaitlist, type WaitlistEntry } from "@faceline/accounts/people/waitlist";
import {
  type ListedKey,
  listApiKeys,
  newApiKey,
  revokeApiKey,
  setTeamLimits,
  storeApiKey,
} from "@faceline/contracts/runtime/api-keys";
import { readConfig } from "@faceline/contracts/runtime/config";
import {
  connectDurableRedis,
  DurableRedisConfig,
  type RedisConnection,
} from "@faceline/contracts/runtime/redis";
import { durableAccess } from "../launcher/server-access.ts";
import { LauncherConfig } from "../launcher/settings.ts";
import { repository, secretsFolder } from "../launcher/state-folder.ts";
import { type KeysCommand, parseKeysCall, usage } from "./keys-call.ts";

// `npm run keys -- VERB`: API keys and limits of teams, in the durable Redis of a running Faceline.

const commandMs = "5000";

const unreachable =
  "The Redis server of the keys cannot be reached: start Faceline with `npm start`, or set REDIS_DURABLE_URL " +
  "(REDIS_DURABLE_PORT, FACELINE_STATE) as for it.";

process.exitCode = await main(process.argv.slice(2));

/** Returns the exit code: 0 done, 1 failed, 2 the command line was wrong. */
async function main(argv: string[]): Promise<number> {
  const call = parseKeysCall(argv);
  if (typeof call === "string") {
    console.error(call);
    return 2;
  }
  if (call.verb === "help") {
    console.log(usage);
    return 0;
  }
  try {
    await using redis = await connect();
    console.log(await run(redis, call));
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}

/** As the user `keys` of the server that `npm start` has started, or as the operator's settings say. */
async function connect(): Promise<RedisConnection> {
  const launch = readConfig(LauncherConfig, process.env);
  const secrets = secretsFolder(resolve(repository, launch.FACELINE_STATE));
  const access = durableAccess(launch, secrets, "keys");
  try {
    const env = { ...process.env, ...access, REDIS_COMMAND_MS: commandMs };
    return await connectDurableRedis(readConfig(DurableRedisConfig, env));
  } catch (cause) {
    const passwordFile = launch.REDIS_DURABLE_URL === undefined ? access["REDIS_DURABLE_PASSWORD_FILE"]! : "";
    const neverStarted = passwordFile !== "" && !existsSync(passwordFile);
    if (!neverStarted && !(cause as Error).message.includes("no Redis server")) throw cause;
    throw new Error(unreachable, { cause });
  }
}

/** Runs the command and returns what to print. */
async function run(redis: RedisConnection, call: Exclude<KeysCommand, { verb: "help" }>): Promise<string> {
  switch (call.verb) {
    case "create": {
      const { team, name, limits } = call;
      // Limits first, so that the key is never valid without them.
      if (limits !== undefined) await setTeamLimits(redis, team, limits);
      const key = newApiKey();
      await storeApiKey(redis, key, { team, name });
      return `${key}\n\nThis is the key of ${team}. Keep it now: it is shown this once, and cannot be looked up.`;
    }
    case "limits":
      await setTeamLimits(redis, call.team, call.limits);
      return `The limits of ${call.team} are set; they hold at once.`;
    case "list": {
      const keys = await listApiKeys(redis);
      return keyTable(keys.filter((key) => call.team === undefined || key.team === call.team));
    }
    case "revoke": {
      const key = findOnly(await listApiKeys(redis), call.prefix);
      if (key.disabled) return `Key ${key.id} of ${key.team} (${key.name}) was revoked before.`;
      await revokeApiKey(redis, key);
      return `Key ${key.id} of ${key.team} (${key.name}) is revoked; it is refused from now on.`;
    }
    case "waitlist":
      return entriesText(await listWaitlist(redis));
  }
}

/**
 * Returns the one key whose id or prefix begins with `start`. Throws a sentence when there is none, or more.
 */
function findOnly(keys: ListedKey[], start: string): ListedKey {
  const matches = keys.filter((key) => key.id.startsWith(start) || matchesPrefix(key, start));
  const [one, other] = matches;
  if (one === undefined) throw new Error("No key begins like this: `npm run keys -- list` shows them.");
  if (other !== undefined) throw new Error(`Several keys begin like this:\n\n${keyTable(matches)}`);
  return one;
}

/** Also true when `start` is longer than the stored prefix, such as the whole key. */
function matchesPrefix({ prefix }: ListedKey, start: string): boolean {
  return prefix !== undefined && (prefix.startsWith(start) || start.startsWith(prefix));
}

function keyTable(keys: ListedKey[]): string {
  if (keys.length === 0) return "There are no keys.";
  const rows = [
    ["id", "key", "team", "name", "created", "last used", "state"],
    ...keys.map((key) => [
      key.id,
      `${key.prefix ?? "?"}…`,
      key.team,
      key.name,
      formatTime(key.createdAt),
      key.lastUsedAt === null ? "-" : formatTime(key.lastUsedAt),
      key.disabled ? "revoked" : "active",
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** What people wrote is indented, so that none of it looks like another entry. */
function entriesText(entries: WaitlistEntry[]): string {
  if (entries.length === 0) return "Nobody waits for approval.";
  return entries
    .map(({ email, joinedAt, text }) => {
      const head = `${formatTime(joinedAt)}  ${email}`;
      return text === "" ? head : `${head}\n    ${text.replaceAll("\n", "\n    ")}`;
    })
    .join("\n");
}

/** `2026-11-21 09:30Z`. */
function formatTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")}Z`;
}
