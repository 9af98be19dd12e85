import { connect } from "node:net";
import type { Program } from "./child.ts";

/** The Redis of images, answers and reports. In memory only: nothing of it may reach a disk. */
export function volatileRedis(command: string, folder: string, options: VolatileOptions): Program {
  return redis("redis-volatile", command, folder, options.port, {
    save: "",
    appendonly: "no",
    maxmemory: `${options.memoryMaxMib}mb`,
    "maxmemory-policy": "noeviction",
  });
}

/** The Redis of API keys and team limits. An acknowledged write is on disk. */
export function durableRedis(command: string, folder: string, port: number): Program {
  return redis("redis-durable", command, folder, port, {
    save: "",
    appendonly: "yes",
    appendfsync: "always",
  });
}

function redis(name: string, command: string, folder: string, port: number, own: RedisSettings): Program {
  const settings: RedisSettings = {
    bind: "127.0.0.1",
    port: `${port}`,
    dir: folder,
    daemonize: "no",
    loglevel: "notice",
    // The crash report would otherwise write parts of the memory to the log.
    "crash-memcheck-enabled": "no",
    ...own,
  };
  return {
    name,
    command,
    args: Object.entries(settings).flatMap(([setting, value]) => [`--${setting}`, value]),
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

type RedisSettings = Record<string, string>;
