import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { readConfig } from "../config.ts";
import { openLog } from "../log.ts";
import { connectVolatileRedis, VolatileRedisConfig } from "../redis.ts";
import { RedisWithLiveness } from "../redis-liveness.ts";
import { OtlpConfig } from "../otlp-config.ts";
import { metricsOff } from "./metrics.ts";
import { openMetrics } from "./open-metrics.ts";
import { observeCommands } from "./redis-metrics.ts";

const config = readConfig(VolatileRedisConfig, process.env);
const { hostname, port } = new URL(config.REDIS_VOLATILE_URL);
const server = `db_system_name="redis",db_namespace="0",server_address="${hostname}",server_port="${port}"`;
const volatile = `dependency="redis-volatile",${server}`;
const durable = `dependency="redis-durable",${server}`;

test("each command is timed by its name, in pipelines too, whether it succeeds or fails", async () => {
  const log = openLog("test", "silent");
  const options = { config: readConfig(OtlpConfig, {}), page: true, service: "ingress", id: "1", log };
  await using metrics = await openMetrics(options);
  await using redis = await connectVolatileRedis(config);
  observeCommands(metrics, "redis-durable", [redis]);
  const key = "redis-metrics";
  await Promise.all([redis.set(key, "1", "PX", 1_000), redis.get(key), redis.get(key)]);
  await redis.pipeline().get(key).unlink(key).exec();
  await assert.rejects(redis.call("NO_SUCH_COMMAND"));
  const page = await metrics.page();
  const count = (name: string) =>
    page.split(`_seconds_count{${durable},db_operation_name="${name}"} `)[1]?.split("\n")[0];
  assert.deepEqual(["SET", "GET", "UNLINK"].map(count), ["1", "3", "1"]);
});

test("a command that fails has its error.type: what the server says, a timeout or a closed connection", async () => {
  const log = openLog("test", "silent");
  const options = { config: readConfig(OtlpConfig, {}), page: true, service: "ingress", id: "1", log };
  await using metrics = await openMetrics(options);
  // A command times out long before its connection counts as silent and is closed.
  const { REDIS_VOLATILE_URL: url, REDIS_VOLATILE_PASSWORD_FILE: password } = config;
  const redis = new RedisWithLiveness(
    url,
    { password, commandTimeout: 3_000 },
    { name: "test", silenceMaxMs: 60_000 },
  );
  observeCommands(metrics, "redis-volatile", [redis]);
  await once(redis, "ready");
  const key = "redis-metrics-failures";
  await redis.set(key, "1", "PX", 10_000);
  await assert.rejects(redis.call("NO_SUCH_COMMAND"));
  await assert.rejects(redis.lpush(key, "1"));
  await assert.rejects(redis.blpop("redis-metrics-no-list", 60));
  const waiting = assert.rejects(redis.brpop("redis-metrics-no-list", 60));
  redis.disconnect();
  await waiting;
  const page = await metrics.page();
  for (const [name, type] of [
    ["NO_SUCH_COMMAND", "ERR"],
    ["LPUSH", "WRONGTYPE"],
    ["BLPOP", "timeout"],
    ["BRPOP", "closed"],
  ]) {
    const labels = `${volatile},db_operation_name="${name}",error_type="${type}"`;
    assert.ok(page.includes(`db_client_operation_duration_seconds_count{${labels}} 1`), labels);
  }
  assert.ok(
    page.includes(`db_client_operation_duration_seconds_count{${volatile},db_operation_name="SET"} 1`),
  );
});

test("without metrics a connection reads no clock for its commands", async () => {
  await using redis = await connectVolatileRedis(config);
  observeCommands(metricsOff, "redis-volatile", [redis]);
  assert.equal(redis.onCommandEnd, undefined);
});
