import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { connectRedis } from "@faceline/contracts/runtime/redis";

/** A connection to the durable Redis of the test run, and names that no other test uses. */
export async function durable(t: TestContext) {
  const redis = await connectRedis("REDIS_DURABLE_URL", process.env["REDIS_DURABLE_URL"] ?? "", 1_000);
  const run = randomUUID();
  // Hooks run in the order in which they were added: those of the test may still need the connection.
  t.after(() => setImmediate(() => redis.disconnect()));
  return { redis, team: `team-${run}`, email: (name: string) => `${name}-${run}@example.test` };
}
