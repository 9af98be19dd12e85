import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { readConfig } from "./config.ts";
import { connectRedis, connectVolatileRedis, VolatileRedisConfig } from "./redis.ts";
import { subscribe } from "./redis-subscription.ts";

const config = readConfig(VolatileRedisConfig, process.env);

test("a server that persists is refused as the volatile Redis, and the error says what to correct", async () => {
  const durable = process.env["REDIS_DURABLE_URL"];
  assert.ok(durable, "REDIS_DURABLE_URL names the durable server");
  await assert.rejects(
    connectVolatileRedis({ ...config, REDIS_VOLATILE_URL: durable }),
    /^Error: REDIS_VOLATILE_URL: this server may not hold pictures: .*set `appendonly no`, it writes pictures to disk/,
  );
});

test("an unreachable server is reported in one sentence that names the setting", async () => {
  await assert.rejects(
    connectRedis("REDIS_VOLATILE_URL", "redis://127.0.0.1:1", 100),
    /^Error: REDIS_VOLATILE_URL: no Redis server lets us in there \(ECONNREFUSED\); start one, or correct the address or the password$/,
  );
});

test("a subscriber that the server disconnects subscribes again and calls onResubscribed", async () => {
  await using redis = await connectVolatileRedis(config);
  const messages: string[] = [];
  const resubscribed = Promise.withResolvers<void>();
  const received = new EventTarget();
  await using _subscription = await subscribe(
    config,
    ["live-test"],
    (message) => {
      messages.push(message.toString());
      received.dispatchEvent(new Event("message"));
    },
    () => resubscribed.resolve(),
  );
  const publish = async (message: string) => {
    const nextMessage = once(received, "message");
    await redis.publish("live-test", message);
    await nextMessage;
  };
  await publish("before");
  await redis.call("CLIENT", "KILL", "TYPE", "pubsub");
  await resubscribed.promise;
  await publish("after");
  assert.deepEqual(messages, ["before", "after"]);
});
