import assert from "node:assert/strict";
import { subscribe as onChannel, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { SwallowingProxy } from "../testing/swallowing-proxy.ts";
import { readConfig } from "./config.ts";
import { connectRedis, connectVolatileRedis, VolatileRedisConfig } from "./redis.ts";
import { subscribe } from "./redis-subscription.ts";
import { logSilence } from "./connection-silence.ts";
import { coreWaits } from "./starvation.ts";

const direct = readConfig(VolatileRedisConfig, process.env);

test("a connection whose packets are swallowed is closed although nobody uses it, and opened anew", async (t) => {
  const { config, proxy } = await behindProxy(t);
  const reasons: string[] = [];
  using _log = logSilence({ info: ({ reason }) => void reasons.push(reason) });
  t.mock.method(coreWaits, "mainThread", () => new Map());
  await using redis = await connectVolatileRedis(config);
  assert.equal(redis.usable, true);
  proxy.swallow();
  await until("the connection is not responsive any more", () => !redis.usable);
  // An attempt in which this process had a core blames the server.
  await until("the server is to blame", () => !redis.healthy);
  assert.equal(reasons[0], "REDIS_VOLATILE_URL, commands");
  await assert.rejects(redis.set("liveness", "1"));
  proxy.resume();
  await until("the connection is responsive again", () => redis.usable);
  assert.equal(await redis.set("liveness", "1", "PX", 1_000), "OK");
});

test("commands that wait when a connection is closed fail with it, also those without a time limit", async (t) => {
  const { config, proxy } = await behindProxy(t);
  await using redis = await connectVolatileRedis(config, { untimed: true });
  proxy.swallow();
  const closed = new Promise<void>((resolve) => redis.once("close", resolve));
  const waiting = Promise.allSettled([redis.get("a"), redis.set("b", Buffer.alloc(16_000_000))]);
  await closed;
  assert.deepEqual(
    (await waiting).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.equal(redis.stream.writableLength, 0);
});

test("a large value may take longer to leave than a connection may be silent", async (t) => {
  const { config, proxy } = await behindProxy(t);
  await using redis = await connectVolatileRedis(config, { untimed: true });
  const { stream } = redis;
  proxy.slowDown(100);
  assert.equal(await redis.set("liveness-large", Buffer.alloc(64_000_000), "PX", 1), "OK");
  assert.equal(redis.stream, stream);
});

test("a subscriber whose packets are swallowed subscribes anew, and says so meanwhile", async (t) => {
  const { config, proxy } = await behindProxy(t);
  const received = new EventTarget();
  const resubscribed = Promise.withResolvers<void>();
  await using subscription = await subscribe(
    config,
    ["liveness"],
    () => received.dispatchEvent(new Event("message")),
    () => resubscribed.resolve(),
  );
  assert.equal(subscription.connected(), true);
  proxy.swallow();
  await until("the subscriber is not connected any more", () => !subscription.connected());
  proxy.resume();
  await resubscribed.promise;
  await using publisher = await connectVolatileRedis(direct);
  const message = once(received, "message");
  await publisher.publish("liveness", "after");
  await message;
  assert.equal(subscription.connected(), true);
});

test("replies that came while the process was blocked for longer than a command may take are read", async () => {
  await using redis = await connectVolatileRedis({ ...direct, REDIS_COMMAND_MS: 100 });
  const { stream } = redis;
  const reply = redis.echo("before");
  block(1_800);
  assert.equal(redis.usable, true);
  assert.equal(await reply, "before");
  assert.equal(redis.stream, stream);
});

test("a server is not to blame for silence in a time in which this process had no core, but for refusing", async (t) => {
  // A thread that waits for three quarters of the time.
  const waits = () => new Map([["main", 0.75 * performance.now()]]);
  t.mock.method(coreWaits, "mainThread", waits);
  const { config, proxy } = await behindProxy(t);
  await using redis = await connectVolatileRedis(config);
  proxy.swallow();
  const late = redis.get("a");
  const closed = new Promise<void>((resolve) => redis.once("close", resolve));
  await assert.rejects(late);
  await closed;
  assert.deepEqual([redis.isStarved, redis.healthy], [true, true]);
  await proxy[Symbol.asyncDispose]();
  await until("the server refuses connections", () => !redis.healthy);
});

test("a connection that we close is no outage, also while it is lost or was never open", async (t) => {
  const lost = new Set<object>();
  const note = (change: unknown): void => {
    const { connection, isLost } = change as { connection: object; isLost: boolean };
    if (isLost) lost.add(connection);
    else lost.delete(connection);
  };
  onChannel("faceline.connection", note);
  t.after(() => unsubscribe("faceline.connection", note));
  const { config, proxy } = await behindProxy(t);
  await using one = await connectVolatileRedis(config);
  await using other = await connectVolatileRedis(config);
  one.disconnect();
  await once(one, "close");
  await proxy[Symbol.asyncDispose]();
  await once(other, "reconnecting");
  assert.equal(lost.size, 1);
  other.disconnect();
  await assert.rejects(connectVolatileRedis(config));
  await new Promise(setImmediate);
  assert.equal(lost.size, 0);
});

test("a server that accepts connections and never answers is an error at start, in one sentence", async (t) => {
  const { config, proxy } = await behindProxy(t);
  proxy.swallow();
  await assert.rejects(connectRedis("REDIS_DURABLE_URL", config.REDIS_VOLATILE_URL, 200), {
    message: /^REDIS_DURABLE_URL: no Redis server accepts us there; start one, or correct/,
  });
});

async function behindProxy(t: TestContext, commandMs = 500) {
  const { proxy, url } = await SwallowingProxy.before(direct.REDIS_VOLATILE_URL);
  t.after(() => proxy[Symbol.asyncDispose]());
  return { proxy, config: { ...direct, REDIS_VOLATILE_URL: url, REDIS_COMMAND_MS: commandMs } };
}

function block(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 120_000;
  while (!holds()) {
    if (performance.now() > giveUpAt) throw new Error(`waited 2 minutes in vain until ${what}`);
    await sleep(10);
  }
}
