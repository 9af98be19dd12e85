import { commandActor, recordAudit } from "@faceline/accounts/audit/audit-log";
import { createKey, isActive } from "@faceline/accounts/keys/team-keys";
import { changeLimits } from "@faceline/accounts/people/teams";
import { type ListedKey, revokeApiKey } from "@faceline/accounts/keys/api-keys";
import type { RedisConnection } from "@faceline/runtime/redis";
import { listApiKeys } from "@faceline/accounts/keys/team-index";
import { type KeysCommand, parseKeysCall, usage } from "./keys-call.ts";
import { runPeopleCommand } from "./keys-people.ts";
import { connectKeysRedis } from "./keys-redis.ts";

// `npm run keys -- VERB`: API keys, limits of teams and operators, in the durable Redis of a running
// Faceline.

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
    await using redis = (await connectKeysRedis()).redis;
    console.log(await run(redis, call));
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}

/** Runs the command and returns what to print. */
async function run(redis: RedisConnection, call: Exclude<KeysCommand, { verb: "help" }>): Promise<string> {
  switch (call.verb) {
    case "create": {
      const { team, name, limits } = call;
      // Limits first, so that the key is never valid without them.
      if (limits !== undefined) await changeLimits(redis, { team, limits }, commandActor);
      const { key } = await createKey(redis, { team, name }, commandActor);
      return `${key}\n\nThis is a new key of the team ${team}. Save it now: it is shown only once.`;
    }
    case "limits":
      await changeLimits(redis, call, commandActor);
      return `The limits of ${call.team} are set and take effect immediately.`;
    case "list": {
      const keys = await listApiKeys(redis);
      return keyTable(keys.filter((key) => call.team === undefined || key.team === call.team));
    }
    case "revoke": {
      const key = findOnly(await listApiKeys(redis), call.prefix);
      if (key.disabled) return `Key ${key.id} of ${key.team} (${key.name}) is already revoked.`;
      await revokeApiKey(redis, key);
      await recordAudit(redis, commandActor, "key_revoked", key.id, { team: key.team });
      return `Key ${key.id} of ${key.team} (${key.name}) is revoked and no longer accepted.`;
    }
    case "operator":
    case "member":
    case "decline":
    case "forget":
      return runPeopleCommand(redis, call);
  }
}

/**
 * Returns the one key whose id or prefix begins with `start`. Throws a sentence when there is none, or more.
 */
function findOnly(keys: ListedKey[], start: string): ListedKey {
  const matches = keys.filter((key) => key.id.startsWith(start) || matchesPrefix(key, start));
  const [one, other] = matches;
  if (one === undefined) throw new Error("No key starts with this: see `npm run keys -- list`.");
  if (other !== undefined) throw new Error(`Several keys start with this:\n\n${keyTable(matches)}`);
  return one;
}

/** Whether a key begins with `start`, which may be longer than the stored prefix, such as the whole key. */
function matchesPrefix({ prefix }: ListedKey, start: string): boolean {
  return prefix !== undefined && (prefix.startsWith(start) || start.startsWith(prefix));
}

function keyTable(keys: ListedKey[]): string {
  if (keys.length === 0) return "There are no keys.";
  return textTable([
    ["id", "key", "team", "name", "created", "last used", "state"],
    ...keys.map((key) => [
      key.id,
      `${key.prefix ?? "?"}…`,
      key.team,
      key.name,
      formatTime(key.createdAt),
      key.lastUsedAt === null ? "-" : formatTime(key.lastUsedAt),
      stateOf(key),
    ]),
  ]);
}

/** Returns rows of cells as lines, with the cells of a column below each other. */
function textTable(rows: string[][]): string {
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
function formatTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")}Z`;
}

function stateOf(key: ListedKey): string {
  if (key.disabled) return "revoked";
  if (!isActive(key, Date.now())) return "expired";
  return key.expiresAt === undefined ? "active" : `until ${formatTime(key.expiresAt)}`;
}
