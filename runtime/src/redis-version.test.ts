import assert from "node:assert/strict";
import { test } from "node:test";
import type { RedisConnection } from "./redis.ts";
import { hasScriptFixes, warnOfOldServer } from "./redis-version.ts";

test("a version of Redis has the fixes of the script engine from a release of its line on", () => {
  const withFixes = ["6.2.20", "6.2.21", "7.2.11", "7.4.6", "7.4.10", "8.0.4", "8.2.2", "8.4.0", "9.0.0"];
  const without = ["6.0.16", "6.2.6", "6.2.19", "7.0.15", "7.2.4", "7.4.5", "8.0.3", "8.1.9", "8.2.1", "x"];
  assert.deepEqual(withFixes.map(hasScriptFixes), Array(withFixes.length).fill(true));
  assert.deepEqual(without.map(hasScriptFixes), Array(without.length).fill(false));
});

test("an old server is named with its setting; one that is new, unknown or no Redis is not", async () => {
  const valkey = "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.4\r\n";
  const warnings: string[] = [];
  const log = { warn: (sentence: unknown) => void warnings.push(String(sentence)) };
  for (const reply of [
    Promise.resolve("# Server\r\nredis_version:8.2.2\r\n"),
    Promise.resolve(valkey),
    Promise.reject(new Error("NOPERM")),
    Promise.resolve("# Server\r\nredis_version:6.2.6\r\nos:Linux\r\n"),
  ]) {
    const redis = { info: () => reply } as unknown as Pick<RedisConnection, "info">;
    await warnOfOldServer(log, "REDIS_DURABLE_URL", redis);
  }
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /^REDIS_DURABLE_URL: Redis 6\.2\.6 lacks .*CVE-2025-49844.*: install .*8\.2\.2/);
});
