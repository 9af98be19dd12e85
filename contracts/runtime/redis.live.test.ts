import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { readConfig } from "./config.ts";
import { connectRedis, connectVolatileRedis, subscribe, VolatileRedisConfig } from "./redis.ts";

const config = readConfig(VolatileRedisConfig, process.env);

test("a server that persists is refused for pictures, with what to mend", async () => {
  const durable = process.env["REDIS_DURABLE_URL"];
  assert.ok(durable, "REDIS_DURABLE_URL names the durable server");
  await assert.rejects(
    connectVolatileRedis({ ...config, REDIS_VOLATILE_URL: durable }),
    /^Error: REDIS_VOLATILE_URL: this server may not hold pictures: .*set `appendonly no`, it writes pictures to disk/,
  );
});

test("a server that is not there is one sentence that names the setting", async () => {
  await assert.rejects(
    connectRedis("REDIS_VOLATILE_URL", "redis://127.0.0.1:1", 100),
    /^Error: REDIS_VOLATILE_URL: no Redis server lets us in there; start one, or correct the address or the password$/,
  );
});

test("a subscriber that the server drops hears again, and says so", async () => {
  await using redis = await connectVolatileRedis(config);
  const heard: string[] = [];
  const again = Promise.withResolvers<void>();
  const bell = new EventTarget();
  await using _subscription = await subscribe(
    config,
    ["live-test"],
    (message) => {
      heard.push(message.toString());
      bell.dispatchEvent(new Event("heard"));
    },
    () => again.resolve(),
  );
  const publish = async (message: string) => {
    const ring = once(bell, "heard");
    await redis.publish("live-test", message);
    await ring;
  };
  await publish("before");
  await redis.call("CLIENT", "KILL", "TYPE", "pubsub");
  await again.promise;
  await publish("after");
  assert.deepEqual(heard, ["before", "after"]);
});
