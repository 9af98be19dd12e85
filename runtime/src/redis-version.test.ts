import assert from "node:assert/strict";
import { test } from "node:test";
import type { RedisConnection } from "./redis.ts";
import { hasScriptFixes, printedVersion, warnOfOldServer } from "./redis-version.ts";

test("a version of Redis or Valkey has the fixes of the script engine from a release of its line on", () => {
  const fixed = (name: "Redis" | "Valkey", versions: string) =>
    versions.split(" ").map((version) => hasScriptFixes({ name, version }));
  assert.ok(fixed("Redis", "6.2.20 6.2.21 7.2.11 7.4.6 7.4.10 8.0.4 8.2.2 8.4.0 9.0.0").every(Boolean));
  assert.ok(!fixed("Redis", "6.0.16 6.2.6 6.2.19 7.0.15 7.2.4 7.4.5 8.0.3 8.1.9 8.2.1 x").some(Boolean));
  assert.ok(fixed("Valkey", "7.2.11 8.0.6 8.1.4 8.1.10 8.2.0 9.0.0 9.1.2").every(Boolean));
  assert.ok(!fixed("Valkey", "7.2.10 7.4.6 8.0.4 8.0.5 8.1.3").some(Boolean));
});

test("a server says with --version whether it is Redis or Valkey, whatever its command is called", () => {
  const read = (text: string) => printedVersion(`${text} sha=0:1 malloc=libc bits=64 build=1\n`);
  assert.deepEqual(read("Redis server v=7.0.15"), { name: "Redis", version: "7.0.15" });
  assert.deepEqual(read("Valkey server v=9.1.2"), { name: "Valkey", version: "9.1.2" });
  assert.deepEqual(read("Server v=7.2.5"), { name: "Valkey", version: "7.2.5" });
  assert.equal(printedVersion("not found"), undefined);
});

test("an old server is named with its setting; one that is new or unknown is not", async () => {
  const valkey = (version: string) =>
    `# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:${version}\r\n`;
  const warnings: string[] = [];
  const log = { warn: (sentence: unknown) => void warnings.push(String(sentence)) };
  for (const reply of [
    Promise.resolve("# Server\r\nredis_version:8.2.2\r\n"),
    Promise.resolve(valkey("8.1.4")),
    Promise.resolve(valkey("8.1.3")),
    Promise.reject(new Error("NOPERM")),
    Promise.resolve("# Server\r\nredis_version:6.2.6\r\nos:Linux\r\n"),
  ]) {
    const redis = { info: () => reply } as unknown as Pick<RedisConnection, "info">;
    await warnOfOldServer(log, "REDIS_DURABLE_URL", redis);
  }
  assert.equal(warnings.length, 2);
  assert.match(
    warnings[0]!,
    /^REDIS_DURABLE_URL: Valkey 8\.1\.3 lacks .*: install 7\.2\.11, 8\.0\.6, 8\.1\.4 or newer/,
  );
  assert.match(warnings[1]!, /^REDIS_DURABLE_URL: Redis 6\.2\.6 lacks .*CVE-2025-49844.*: install .*8\.2\.2/);
});
