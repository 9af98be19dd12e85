import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readConfig } from "@faceline/runtime/config";
import {
  connectVolatileRedis,
  VolatileRedisConfig,
  type VolatileRedisOptions,
} from "@faceline/runtime/redis";
import { SwallowingProxy } from "@faceline/runtime/testing/swallowing-proxy";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { imageKey } from "@faceline/contracts/wire/names";
import { waitUntil } from "../testing/server.ts";
import { openImageOutbox } from "./image-outbox.ts";
import { SharedBudget } from "./limits/shared-budget.ts";
import { CallMemory } from "./memory/call-memory.ts";
import { SlabPool } from "./memory/slab-pool.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const config = readConfig(VolatileRedisConfig, process.env);
const timeToLiveMs = 30_000;

test("a team that has as many images in flight as it can get leaves room for other teams", async (t) => {
  const redis = await connection(t);
  const outbox = openImageOutbox({ images: redis, commands: redis, budget: new SharedBudget(1_000_000) });
  const photographs = await Promise.allSettled(
    Array.from({ length: 10 }, () => outbox.publish("ants", call(image(100_000)), timeToLiveMs)),
  );
  const [published, refused] = Map.groupBy(photographs, ({ status }) => status).values();
  assert.equal(published?.length, 7);
  assert.ok(refused!.every((each) => each.status === "rejected" && each.reason.code === "queue_full"));

  const small = image(50_000);
  const other = await outbox.publish("bees", call(small), timeToLiveMs);
  assert.equal((await redis.getBuffer(imageKey(small.task)))?.length, 50_000);
  for (const each of published) if (each.status === "fulfilled") each.value[Symbol.dispose]();
  other[Symbol.dispose]();
  assert.equal(await redis.exists(imageKey(small.task)), 0);
});

test("while Redis does not read, images hold their share until their connection is closed, and no memory after it", async (t) => {
  const { proxy, url } = await SwallowingProxy.before(config.REDIS_VOLATILE_URL);
  t.after(() => proxy[Symbol.asyncDispose]());
  const images = await connection(t, { REDIS_VOLATILE_URL: url }, { untimed: true });
  const outbox = openImageOutbox({
    images,
    commands: await connection(t),
    budget: new SharedBudget(64_000_000),
  });
  const publish = () => outbox.publish("ants", call(image(8_000_000)), timeToLiveMs);
  const before = memory();

  proxy.swallow();
  const closed = new Promise<void>((resolve) => images.once("close", resolve));
  const refused: string[] = [];
  const rounds = Array.from({ length: 20 }, () =>
    publish().catch((error: { code: string }) => void refused.push(error.code)),
  );
  // 48 MB: the largest share of one team. The others do not wait for memory.
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(refused, Array(14).fill("queue_full"));
  await closed;
  await Promise.all(rounds);
  // In a process without a core, the load is the cause.
  const unavailable = /^(dependency_unavailable|queue_full)$/;
  for (const code of refused.slice(14)) assert.match(code, unavailable);
  assert.equal(refused.length, 20);
  // Refused at once: nothing is written while nothing is read.
  for (let i = 0; i < 20; i++) await assert.rejects(publish(), { code: unavailable });
  await waitUntil("their memory is free", async () => memory() - before < 8_000_000);

  proxy.resume();
  await waitUntil("images are taken again", async () => images.usable);
  (await publish())[Symbol.dispose]();
});

test("a call whose images are not stored by its deadline ends then, and holds its share until they are", async (t) => {
  const { proxy, url } = await SwallowingProxy.before(config.REDIS_VOLATILE_URL);
  t.after(() => proxy[Symbol.asyncDispose]());
  const images = await connection(t, { REDIS_VOLATILE_URL: url }, { untimed: true });
  const outbox = openImageOutbox({
    images,
    commands: await connection(t),
    budget: new SharedBudget(1_000_000),
  });
  proxy.swallow();
  const late = outbox.publish("ants", call(image(900_000)), 10);
  await assert.rejects(late, { code: "upstream_timeout" });
  await assert.rejects(outbox.publish("bees", call(image(900_000)), 10), { code: "queue_full" });
  proxy.resume();
  await waitUntil("the share is free again", async () => {
    const second = await outbox.publish("bees", call(image(900_000)), timeToLiveMs).catch(() => undefined);
    second?.[Symbol.dispose]();
    return second !== undefined;
  });
});

test("the memory of images is not used again before Redis has them, or their connection is closed", async (t) => {
  const { proxy, url } = await SwallowingProxy.before(config.REDIS_VOLATILE_URL);
  t.after(() => proxy[Symbol.asyncDispose]());
  const images = await connection(t, { REDIS_VOLATILE_URL: url }, { untimed: true });
  const commands = await connection(t);
  const outbox = openImageOutbox({ images, commands, budget: new SharedBudget(64_000_000) });
  const pool = new SlabPool();
  const publish = async (withinMs: number) => {
    const { task } = image(0);
    const memory = new CallMemory();
    const slab = pool.take(8_000_000);
    slab.bytes.fill(7);
    slab.wroteUpTo(slab.bytes.length);
    memory.keep(slab);
    const published = outbox.publish("ants", { images: [{ task, bytes: slab.bytes }], memory }, withinMs);
    memory.end();
    return { task, bytes: slab.bytes, published };
  };
  const stored = await publish(timeToLiveMs);
  using _published = await stored.published;
  const inRedis = await commands.getBuffer(imageKey(stored.task));
  assert.ok(inRedis!.equals(Buffer.alloc(inRedis!.length, 7)));
  assert.deepEqual([pool.idleBytes, stored.bytes[0]], [stored.bytes.length, 0]);

  proxy.swallow();
  const late = await publish(10);
  await assert.rejects(late.published, { code: "upstream_timeout" });
  assert.deepEqual([pool.idleBytes, late.bytes[0]], [0, 7]);
  await waitUntil("the connection was closed", async () => pool.idleBytes > 0);
  assert.equal(late.bytes[0], 0);
});

/** Bytes outside of V8's heap, where images are, after a garbage collection. */
function memory(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

const image = (bytes: number) => ({ task: `a/${randomUUID()}/0` as TaskId, bytes: Buffer.alloc(bytes, 1) });

const call = (...images: ReturnType<typeof image>[]) => ({ images, memory: new CallMemory() });

async function connection(
  t: TestContext,
  own: Partial<VolatileRedisConfig> = {},
  options: VolatileRedisOptions = {},
) {
  const redis = await connectVolatileRedis({ ...config, ...own }, options);
  t.after(() => redis[Symbol.asyncDispose]());
  return redis;
}
