import { randomUUID } from "node:crypto";
import { globSync } from "node:fs";
import { join, relative } from "node:path";
import type { TestContext } from "node:test";
import { connectRedis } from "@faceline/runtime/redis";

/**
 * A connection to the durable Redis of the test run, and names that no other test uses. The audit log is one
 * for all teams, so each test file has a database of its own: two of them run side by side.
 */
export async function durable(t: TestContext) {
  const redis = await connectRedis("REDIS_DURABLE_URL", process.env["REDIS_DURABLE_URL"] ?? "", 1_000);
  await redis.select(databaseOfFile);
  const run = randomUUID();
  // Hooks run in the order in which they were added: those of the test may still need the connection.
  t.after(() => setImmediate(() => redis.disconnect()));
  return { redis, team: `team-${run}`, email: (name: string) => `${name}-${run}@example.test` };
}

const folder = join(import.meta.dirname, "../src");
const files = globSync("**/*.live.test.ts", { cwd: folder }).toSorted();
/** Number of a database, from 1 on: tests of other packages use 0. A Redis server has 16. */
const databaseOfFile = 1 + files.indexOf(relative(folder, process.argv[1] ?? ""));
