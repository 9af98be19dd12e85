// Covered by redis-metrics.live.test.ts.
import type { RedisWithLiveness } from "../redis-liveness.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Records how long each command of these connections takes. Names of commands come from the code alone, so
 * they are few.
 */
export function observeCommands(metrics: Metrics, connections: CommandSource[]): void {
  if (!metrics.on) return;
  for (const connection of connections) {
    connection.onCommandEnd = (name, durationMs) =>
      metrics.record("db.client.operation.duration", durationMs / 1_000, {
        "db.operation.name": name.toUpperCase(),
      });
  }
}

type CommandSource = Pick<RedisWithLiveness, "onCommandEnd">;
