import assert from "node:assert/strict";
import test from "node:test";
import { readConfig } from "./config.ts";
import { connectRedis, connectVolatileRedis, VolatileRedisConfig } from "./redis.ts";

const config = readConfig(VolatileRedisConfig, process.env);

test("a server that persists is refused as the volatile Redis, and the error says what to correct", async () => {
  const durable = process.env["REDIS_DURABLE_URL"];
  assert.ok(durable, "REDIS_DURABLE_URL names the durable server");
  await assert.rejects(
    connectVolatileRedis({ ...config, REDIS_VOLATILE_URL: durable }),
    /^Error: REDIS_VOLATILE_URL: this server may not hold images: .*set `appendonly no`, it writes images to disk/,
  );
});

test("an unreachable server is reported in one sentence that names the setting", async () => {
  await assert.rejects(
    connectRedis("REDIS_VOLATILE_URL", "redis://127.0.0.1:1", 100),
    /^Error: REDIS_VOLATILE_URL: no Redis server accepts us there \(ECONNREFUSED\); start one, or correct the address or the password; if the server there has TLS, write rediss:\/\/$/,
  );
});
