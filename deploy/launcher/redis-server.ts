import { connect } from "node:net";
import type { Program } from "./child.ts";

// Covered by deploy/e2e/volatile-redis.stack.test.ts.

/**
 * The Redis of images, answers and reports. In memory only: nothing of it may reach a disk or another server.
 */
export function volatileRedis(command: string, folder: string, options: VolatileOptions): Program {
  return redis("redis-volatile", command, folder, options.port, {
    save: [""],
    appendonly: ["no"],
    maxmemory: [`${options.memoryMaxMib}mb`],
    "maxmemory-policy": ["noeviction"],
    // Clients can make it neither save nor replicate nor change its settings. These two hold should it
    // replicate yet.
    user: ["default", "on", "nopass", "~*", "&*", ...volatileCommands],
    "repl-diskless-sync": ["yes"],
    "rdb-del-sync-files": ["yes"],
  });
}

/**
 * Rules of an ACL. The category @admin holds what saves (SAVE, BGSAVE, BGREWRITEAOF), replicates (SYNC,
 * PSYNC, REPLICAOF, FAILOVER), changes settings (CONFIG, ACL, MODULE), shows what others send (MONITOR,
 * SLOWLOG) or stops the server (DEBUG, SHUTDOWN). MIGRATE sends keys elsewhere.
 */
const volatileCommands = ["+@all", "-@admin", "-migrate", "+config|get", "+client"];

/** The Redis of API keys and team limits. An acknowledged write is on disk. */
export function durableRedis(command: string, folder: string, port: number): Program {
  return redis("redis-durable", command, folder, port, {
    save: [""],
    appendonly: ["yes"],
    appendfsync: ["always"],
  });
}

function redis(name: string, command: string, folder: string, port: number, own: RedisSettings): Program {
  const settings: RedisSettings = {
    bind: ["127.0.0.1"],
    port: [`${port}`],
    dir: [folder],
    daemonize: ["no"],
    loglevel: ["notice"],
    // The report of a crash would quote the arguments of the command that ran, and the memory test print
    // more.
    "crash-log-enabled": ["no"],
    "crash-memcheck-enabled": ["no"],
    ...own,
  };
  return {
    name,
    command,
    args: Object.entries(settings).flatMap(([setting, values]) => [`--${setting}`, ...values]),
    env: process.env,
    ready: () => answersPing(port),
  };
}

/** Whether the server answers PING. While it reads its file, it accepts connections but answers LOADING. */
function answersPing(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: "127.0.0.1", port }, () => socket.write("PING\r\n"));
  socket.on("data", (reply) => resolve(reply.toString("latin1").startsWith("+PONG")));
  socket.on("error", () => resolve(false));
  socket.on("close", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

type VolatileOptions = { port: number; memoryMaxMib: number };

type RedisSettings = Record<string, string[]>;
