import { ReplyError } from "ioredis";
import type { RedisWithLiveness } from "../redis-liveness.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Records how long each command of these connections takes, and why it failed if it did. Names of commands
 * come only from the code, so they are few.
 */
export function observeCommands(
  metrics: Metrics,
  dependency: "redis-volatile" | "redis-durable",
  connections: CommandSource[],
): void {
  if (!metrics.on) return;
  for (const connection of connections) {
    const ofConnection = { dependency, ...redisAttributes(connection.options) };
    connection.onCommandEnd = (name, durationMs, error) =>
      metrics.record("db.client.operation.duration", durationMs / 1_000, {
        ...ofConnection,
        "db.operation.name": name.toUpperCase(),
        ...(error === undefined ? {} : { "error.type": errorTypeOf(error) }),
      });
  }
}

/** Attributes of a server and its database in spans and metrics, as they are configured. */
export function redisAttributes({ host = "", port = redisPort, db = 0 }: RedisAddress): RedisAttributes {
  return {
    "db.system.name": "redis",
    "db.namespace": `${db}`,
    "server.address": host,
    ...(port === redisPort ? {} : { "server.port": port }),
  };
}

/** The usual port, which the conventions leave out. */
const redisPort = 6379;

type RedisAddress = Pick<RedisWithLiveness["options"], "host" | "port" | "db">;

type RedisAttributes = {
  "db.system.name": "redis";
  "db.namespace": string;
  "server.address": string;
  "server.port"?: number;
};

/**
 * Returns the kind of a failure: a word from a short list, so that series stay few. By convention, errors of
 * a server begin with a word in capitals; scripts and modules may have words of their own.
 */
function errorTypeOf(error: Error): string {
  if (error.message === "Command timed out") return "timeout";
  if (!(error instanceof ReplyError)) return "closed";
  const [word = ""] = error.message.split(" ", 1);
  return serverErrors.has(word) ? word : "other";
}

const serverErrors: ReadonlySet<string> = new Set([
  "BUSY",
  "ERR",
  "LOADING",
  "MISCONF",
  "NOAUTH",
  "NOPERM",
  "NOSCRIPT",
  "OOM",
  "READONLY",
  "WRONGTYPE",
]);

type CommandSource = Pick<RedisWithLiveness, "onCommandEnd" | "options">;
