import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { openSharedClock } from "@faceline/runtime/clock";
import { readConfig } from "@faceline/runtime/config";
import type { Log } from "@faceline/runtime/log";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/runtime/redis";
import { SwallowingProxy } from "@faceline/runtime/testing/swallowing-proxy";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { answersChannel, imageKey, poolChannel } from "@faceline/contracts/wire/names";
import { answerWith, testPool, waitUntil } from "../../testing/server.ts";
import { SharedBudget } from "../limits/shared-budget.ts";
import { CallMemory } from "../memory/call-memory.ts";
import { openPoolServers, type PoolServers } from "./pool-servers.ts";

// The pool `second` reaches the Redis of the test run through a proxy, as if it were a server of its own.

const config = readConfig(VolatileRedisConfig, process.env);
const ingress = "ingress-0123456789abcdef";

test("pools of both servers are known, and a call goes through the server of its pool", async (t) => {
  const { proxy, url } = await SwallowingProxy.before(config.REDIS_VOLATILE_URL);
  t.after(() => proxy[Symbol.asyncDispose]());
  const { servers, publishStates, redis } = await open(t, url);
  await publishStates();
  await waitUntil("both pools are known", async () => names(servers).length === 2);
  const [first, second] = [servers.serverOf("first"), servers.serverOf("second")];
  assert.notEqual(first, second);

  const task = `a/${randomBytes(12).toString("base64url")}/0` as TaskId;
  const images = [{ task, bytes: Buffer.from("image") }];
  using published = await second.images.publish("ants", { images, memory: new CallMemory() }, 30_000);
  assert.ok(published);
  assert.equal(await redis.get(imageKey(task)), "image");

  using subscription = second.answers.subscribe([task]);
  const answer = { ...answerWith({ kind: "failed", reason: "run_failed" }), task };
  await redis.publish(answersChannel(ingress), JSON.stringify([answer]));
  assert.equal((await subscription.answers[0])?.task, task);
});

test("while the server of a pool's own is silent that pool is left out, and the others serve", async (t) => {
  const { proxy, url } = await SwallowingProxy.before(config.REDIS_VOLATILE_URL);
  t.after(() => proxy[Symbol.asyncDispose]());
  const { servers, publishStates } = await open(t, url);
  const isKnown =
    (...pools: string[]) =>
    async () => {
      await publishStates();
      return names(servers).join() === pools.join();
    };
  await waitUntil("both pools are known", isKnown("first", "second"));
  proxy.swallow();
  await waitUntil("the second pool is left out", isKnown("first"));
  assert.ok(servers.connected() && servers.sharedHealthy());
  proxy.resume();
  await waitUntil("the second pool is back", isKnown("first", "second"));
});

test("a server of a pool's own that is away at the start is taken in when it is there", async (t) => {
  const reserved = createServer().listen(0, "127.0.0.1");
  await once(reserved, "listening");
  const { port } = reserved.address() as { port: number };
  await new Promise((resolve) => reserved.close(resolve));
  const url = new URL(config.REDIS_VOLATILE_URL);
  const target = { host: url.hostname, port: Number(url.port) };
  url.host = `127.0.0.1:${port}`;

  const { servers, publishStates, errors } = await open(t, url.href);
  assert.match(errors[0]!, /^second: POOL_REDIS_VOLATILE_URLS \(second\): /);
  await publishStates();
  await waitUntil("the first pool serves", async () => names(servers).join() === "first");
  const proxy = await SwallowingProxy.open(target, port);
  t.after(() => proxy[Symbol.asyncDispose]());
  await waitUntil("the second pool is there", async () => {
    await publishStates();
    return names(servers).join() === "first,second";
  });
});

const names = (servers: PoolServers): string[] =>
  servers
    .fresh()
    .map(({ state }) => state.pool)
    .toSorted();

/** The pool `first` uses the server of the test run, and `second` the one at `url`. */
async function open(t: TestContext, url: string) {
  const redis = await connectVolatileRedis(config);
  const images = await connectVolatileRedis(config, { untimed: true, whileInUse: false });
  const clock = await openSharedClock(redis);
  const errors: string[] = [];
  const servers = await openPoolServers({
    config: {
      ...config,
      POOLS: ["first", "second"],
      POOL_REDIS_VOLATILE_URLS: new Map([["second", url]]),
      POOL_REDIS_VOLATILE_PASSWORD_FILES: new Map(),
    },
    ingress,
    shared: { clock, commands: redis, images },
    budget: new SharedBudget(1_000_000),
    log: {
      error: ({ reason, pool }: Record<string, string>) => void errors.push(`${pool}: ${reason}`),
    } as unknown as Log,
    ownConnected: () => {},
  });
  t.after(async () => {
    await servers[Symbol.asyncDispose]();
    await clock[Symbol.asyncDispose]();
    for (const each of [images, redis]) await each[Symbol.asyncDispose]();
  });
  let sequence = 0;
  const publishStates = async () => {
    for (const pool of ["first", "second"]) {
      const state = {
        ...testPool,
        pool,
        batcher: "batcher-0123456789abcdef",
        sequence: sequence++,
        sentAt: 1,
      };
      await redis.publish(poolChannel(pool), JSON.stringify(state));
    }
  };
  return { servers, publishStates, redis, errors };
}
