import { ReplyError } from "ioredis";
import type { RedisWithLiveness } from "../redis-liveness.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Records how long each command of these connections takes, and why it failed if it did. Names of commands
 * come from the code alone, so they are few.
 */
export function observeCommands(metrics: Metrics, connections: CommandSource[]): void {
  if (!metrics.on) return;
  for (const connection of connections) {
    connection.onCommandEnd = (name, durationMs, error) =>
      metrics.record("db.client.operation.duration", durationMs / 1_000, {
        "db.operation.name": name.toUpperCase(),
        ...(error === undefined ? {} : { "error.type": errorTypeOf(error) }),
      });
  }
}

/**
 * Returns the kind of a failure: a word of a short list, so that series stay few. Errors of a server begin
 * with a word in capitals, by convention; scripts and modules may have words of their own.
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

type CommandSource = Pick<RedisWithLiveness, "onCommandEnd">;
