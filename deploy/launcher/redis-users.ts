import type { TaskId } from "@faceline/contracts/wire/ids";
import {
  answerKey,
  answersChannel,
  apiKeyKey,
  auditKey,
  cancelsChannel,
  declinedKey,
  imageKey,
  inFlightKey,
  keyChangesChannel,
  keysLastUsedKey,
  peopleKey,
  personKey,
  poolChannel,
  rateKeyPrefix,
  recentErrorsKey,
  reportsChannel,
  sessionKey,
  sessionsKey,
  signInKey,
  signInsKey,
  teamKey,
  teamKeysKey,
  usageByTeamKey,
  usageKey,
  usageWrittenKey,
  waitlistKey,
} from "@faceline/contracts/wire/names";

// Rights of each user of the Redis servers, in the rules of Redis 6.2, which cannot tell reading a key from
// writing it. The user `default`, whom a connection without a password has, may do nothing. The commands of
// scripts count as the user's own.

const every = "*" as TaskId;

/** Every client: the handshake of ioredis and the pings of subscribers. */
const connection = ["ping", "info"];
/** Every client of the volatile server: the check that it may hold images, and the shared clock. */
const volatile = [...connection, "config|get", "time"];

export const volatileUsers: Record<VolatileUser, RedisRights> = {
  ingress: {
    keys: [imageKey(every), answerKey(every), `${rateKeyPrefix}*`, inFlightKey("*")],
    channels: [answersChannel("*"), poolChannel("*"), cancelsChannel("*")],
    commands: [
      ...volatile,
      "subscribe",
      "publish",
      "get",
      "set",
      "mget",
      "unlink",
      "pexpire",
      "hgetall",
      "hset",
      "hdel",
      "eval",
      "evalsha",
    ],
  },
  batcher: {
    keys: [answerKey(every)],
    channels: [answersChannel("*"), poolChannel("*"), reportsChannel("*"), cancelsChannel("*")],
    commands: [...volatile, "subscribe", "publish", "get", "set"],
  },
  inference: {
    keys: [imageKey(every), answerKey(every)],
    channels: [answersChannel("*"), reportsChannel("*")],
    commands: [...volatile, "publish", "get", "set"],
  },
  // The launcher asks whether the server is ready.
  launcher: { keys: [], channels: [], commands: ["ping"] },
};

/** Keys, teams and people. 6.2 cannot let the ingress read API keys without letting it store them. */
const accountKeys = [
  apiKeyKey("*"),
  teamKey("*"),
  teamKeysKey("*"),
  keysLastUsedKey,
  waitlistKey,
  declinedKey("*"),
  personKey("*"),
  peopleKey,
  signInKey("*"),
  signInsKey("*"),
  sessionKey("*"),
  sessionsKey("*"),
  auditKey,
];
/** Usage is counted by a script. */
const usageKeys = [usageKey("*", "*"), usageByTeamKey("*"), recentErrorsKey("*", "*"), usageWrittenKey("*")];
const accountChannels = [keyChangesChannel];
const accountCommands = [
  ...connection,
  "subscribe",
  "publish",
  "eval",
  "evalsha",
  "get",
  "mget",
  "set",
  "del",
  "expire",
  "hget",
  "hmget",
  "hgetall",
  "hscan",
  "hset",
  "hlen",
  "hdel",
  "sadd",
  "srem",
  "smembers",
  "lrange",
  "xadd",
  "xrevrange",
];

export const durableUsers: Record<DurableUser, RedisRights> = {
  ingress: {
    keys: [...accountKeys, ...usageKeys],
    channels: accountChannels,
    commands: [...accountCommands, "getdel", "hincrby", "lpush", "ltrim"],
  },
  // `npm run keys`, and the launcher, which stores the development key.
  keys: {
    keys: accountKeys,
    channels: accountChannels,
    // To remove a person: the audit log is written again, and then the file of the server.
    commands: [...accountCommands, "watch", "unwatch", "multi", "exec", "xrange", "bgrewriteaof"],
  },
};

/** A user of tests and benches, beside those of the services. `npm start` has none of the kind. */
export const unrestricted: RedisRights = { keys: ["*"], channels: ["*"], commands: ["@all"] };

/** Returns the line of a configuration file for a user. The file has the SHA-256 of the password. */
export const userLine = (user: string, sha256: string, { keys, channels, commands }: RedisRights): string =>
  [
    ["user", user, "on", `#${sha256}`, "resetkeys", ...keys.map((key) => `~${key}`)],
    // Before 7.0 a new user may use all channels.
    ["resetchannels", ...channels.map((channel) => `&${channel}`)],
    ["-@all", ...commands.map((command) => `+${command}`)],
  ]
    .flat()
    .join(" ");

export type VolatileUser = "ingress" | "batcher" | "inference" | "launcher";
export type DurableUser = "ingress" | "keys";

/** Patterns of keys and channels; commands, `config|get` and categories. */
export type RedisRights = { keys: string[]; channels: string[]; commands: string[] };
