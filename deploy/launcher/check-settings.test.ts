import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSettings } from "./check-settings.ts";

test("wrong settings of the launcher and of every service are listed at once, each fault once", async () => {
  const wrong = {
    PORT: "http",
    DEADLINE_DEFAULT_MS: "abc",
    LANE_WAITING_MAX: "0",
    BATCH_MAX: "many",
    KAFKA_BROKERS: '"kafka:9092"',
    REDIS_DURABLE_URL: "redis.example:6379",
    LOG_LEVEL: "loud\r",
  };
  await assert.rejects(checkSettings(wrong), ({ message }: Error) => {
    const [, ...lines] = message.split("\n  ");
    assert.equal(lines.length, Object.keys(wrong).length);
    assert.deepEqual(new Set(lines.map((line) => line.split(":")[0])), new Set(Object.keys(wrong)));
    assert.match(message, /DEADLINE_DEFAULT_MS: Invalid input: expected number \(it is "abc"\)/);
    assert.match(message, /REDIS_DURABLE_URL: must be redis:\/\/user@host:port, or rediss:\/\/ for TLS$/m);
    return true;
  });
});

test("brokers are host:port each, so a port that is missing is told before anybody connects", async () => {
  for (const KAFKA_BROKERS of ["kafka", "kafka:9092,", "kafka://kafka:9092", "[::1]:9092"]) {
    await assert.rejects(checkSettings({ KAFKA_BROKERS }), /KAFKA_BROKERS: must be host:port of each broker/);
  }
  await checkSettings({ KAFKA_BROKERS: "a.example:9092, b:9093" });
});

test("a password file of a server that is to be started, and pools by POOL alone, are no fault", async () => {
  await checkSettings({
    REDIS_DURABLE_PASSWORD_FILE: "/nowhere",
    POOL: "second",
    POOL_REDIS_VOLATILE_URLS: "second=redis://a:1",
  });
});

test("a TMPDIR that cannot be written to is listed too", async (t) => {
  const before = process.env["TMPDIR"];
  t.after(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  process.env["TMPDIR"] = "/nowhere";
  await assert.rejects(checkSettings({ PORT: "http" }), {
    message: /^settings:\n {2}TMPDIR: \/nowhere must be a folder .* \(ENOENT\).*\n {2}PORT: /,
  });
});
