import { createHash } from "node:crypto";
import { connect } from "node:net";
import { join } from "node:path";
import type { Program } from "./child.ts";
import { type RedisRights, userLine } from "./redis-users.ts";
import { writePrivateFile } from "./secrets.ts";

/**
 * The Redis of images, answers and reports. In memory only: nothing of it may reach a disk or another server.
 */
export const volatileRedis = (command: string, folder: string, options: VolatileOptions): Program =>
  redis("redis-volatile", command, folder, options, volatileSettings(options.memoryMaxMib));

/** The Redis of API keys and team limits. An acknowledged write is on disk. */
export const durableRedis = (command: string, folder: string, options: RedisOptions): Program =>
  redis("redis-durable", command, folder, options, durableSettings);

export const volatileSettings = (memoryMaxMib: number): Settings => ({
  save: '""',
  appendonly: "no",
  maxmemory: `${memoryMaxMib}mb`,
  "maxmemory-policy": "noeviction",
  // No user may make it save or replicate. These two hold should it replicate yet.
  "repl-diskless-sync": "yes",
  "rdb-del-sync-files": "yes",
});

export const durableSettings: Settings = {
  save: '""',
  appendonly: "yes",
  appendfsync: "always",
  // As commands, which every server reads: an older Redis that the PATH gets later refuses a newer one's RDB.
  "aof-use-rdb-preamble": "no",
};

/**
 * Returns the file of a Redis server. It has the SHA-256 of passwords. Nobody can log in as `default`. It has
 * rights even so where writes are kept, because Redis 7 replays them as that user: without rights it
 * refuses each transaction of the file, logs "CRITICAL", and starts without what they wrote.
 */
export function redisConfiguration(settings: Settings, users: readonly RedisUser[]): string {
  const all: Settings = {
    daemonize: "no",
    loglevel: "notice",
    // The report of a crash would quote the arguments of the command that ran, and the memory test print
    // more.
    "crash-log-enabled": "no",
    "crash-memcheck-enabled": "no",
    ...settings,
  };
  const lines = Object.entries(all).map(([setting, value]) => `${setting} ${value}`);
  const userLines = users.map(({ user, password, rights }) => userLine(user, sha256(password), rights));
  const defaultUser =
    settings["appendonly"] === "yes" ? "user default off resetpass ~* &* +@all" : "user default off";
  return `${[...lines, defaultUser, ...userLines].join("\n")}\n`;
}

function redis(name: string, command: string, folder: string, options: RedisOptions, own: Settings): Program {
  const { port, users, probe } = options;
  const settings = { bind: "127.0.0.1", port: `${port}`, dir: `"${folder}"`, ...own };
  // A file, because everybody on the machine can read the arguments of a process.
  const file = join(folder, "redis.conf");
  writePrivateFile(file, redisConfiguration(settings, users));
  const login = users.find(({ user }) => user === probe);
  if (login === undefined) throw new Error(`${name} has no user ${probe}`);
  return {
    name,
    command,
    args: [file],
    env: process.env,
    ready: () => answersPing(port, login),
  };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Whether the server answers PING. While it reads its file, it accepts connections but answers LOADING. */
function answersPing(port: number, { user, password }: RedisUser): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let reply = "";
  const socket = connect({ host: "127.0.0.1", port }, () => {
    socket.write(`AUTH ${user} ${password}\r\nPING\r\n`);
  });
  socket.on("data", (chunk) => {
    reply += chunk.toString("latin1");
    const [, pong] = /^[^\r]*\r\n([^\r]*)\r\n/.exec(reply) ?? [];
    if (pong !== undefined) resolve(pong === "+PONG");
  });
  socket.on("error", () => resolve(false));
  socket.on("close", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** `probe`: the user with which the launcher asks whether the server is ready. */
type RedisOptions = { port: number; users: readonly RedisUser[]; probe: string };

type VolatileOptions = RedisOptions & { memoryMaxMib: number };

export type RedisUser = { user: string; password: string; rights: RedisRights };

type Settings = Record<string, string>;
