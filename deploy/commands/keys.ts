import {
  type ListedKey,
  listApiKeys,
  newApiKey,
  revokeApiKey,
  setTeamLimits,
  storeApiKey,
} from "@faceline/contracts/runtime/api-keys";
import { readConfig } from "@faceline/contracts/runtime/config";
import { connectRedis, type RedisConnection } from "@faceline/contracts/runtime/redis";
import { durableUrlOf, LauncherConfig } from "../launcher/settings.ts";
import { type KeysCall, readKeysCall, usage } from "./keys-call.ts";

// `npm run keys -- VERB`: the keys and limits of teams, in the durable Redis of a Faceline that runs.

const commandMs = 5_000;

process.exitCode = await main(process.argv.slice(2));

/** The exit code: 0 done, 1 something is wrong, 2 the call was not understood. */
async function main(argv: string[]): Promise<number> {
  const call = readKeysCall(argv);
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

async function connect(): Promise<RedisConnection> {
  const url = durableUrlOf(readConfig(LauncherConfig, process.env));
  return connectRedis("REDIS_DURABLE_URL", url, commandMs).catch(() => {
    throw new Error(
      "The Redis server of the keys cannot be reached: start Faceline with `npm start`, or set REDIS_DURABLE_URL (REDIS_DURABLE_PORT) to where it runs.",
    );
  });
}

/** What is printed in the end. */
async function run(redis: RedisConnection, call: Exclude<KeysCall, { verb: "help" }>): Promise<string> {
  switch (call.verb) {
    case "create": {
      const { team, name, limits } = call;
      // Limits first: no moment in which the key is known and they are not.
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
      return tableOf(keys.filter((key) => call.team === undefined || key.team === call.team));
    }
    case "revoke": {
      const key = theOne(await listApiKeys(redis), call.begins);
      if (key.disabled) return `Key ${key.id} of ${key.team} (${key.name}) was revoked before.`;
      await revokeApiKey(redis, key);
      return `Key ${key.id} of ${key.team} (${key.name}) is revoked; it is refused from now on.`;
    }
  }
}

function theOne(keys: ListedKey[], begins: string): ListedKey {
  const found = keys.filter((key) => key.id.startsWith(begins) || isPrefix(key, begins));
  const [one, other] = found;
  if (one === undefined) throw new Error("No key begins like this: `npm run keys -- list` shows them.");
  if (other !== undefined) throw new Error(`Several keys begin like this:\n\n${tableOf(found)}`);
  return one;
}

/** Also where somebody gives more of the key than is stored. */
function isPrefix({ prefix }: ListedKey, begins: string): boolean {
  return prefix !== undefined && (prefix.startsWith(begins) || begins.startsWith(prefix));
}

function tableOf(keys: ListedKey[]): string {
  if (keys.length === 0) return "There are no keys.";
  const rows = [
    ["id", "key", "team", "name", "created", "last used", "state"],
    ...keys.map((key) => [
      key.id,
      `${key.prefix ?? "?"}…`,
      key.team,
      key.name,
      timeOf(key.createdAt),
      key.lastUsedAt === null ? "-" : timeOf(key.lastUsedAt),
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

/** `2026-11-21 09:30Z`. */
function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")}Z`;
}
