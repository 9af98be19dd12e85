import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { readConfig } from "@faceline/runtime/config";
import { openLog } from "@faceline/runtime/log";
import { metricsOff } from "@faceline/runtime/metrics/metrics";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/runtime/redis";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { imageKey } from "@faceline/contracts/wire/names";
import { openThrottlingProxy } from "../testing/throttling-proxy.ts";
import { openImageInbox } from "./image-inbox.ts";

const imageCount = 6;
const imageBytes = 256 * 1024;

test("images that need longer than a command's time limit are received while bytes arrive", async (t) => {
  const { tasks, images, inbox, proxy } = await openFixture(t);
  using fetched = await inbox.fetch(tasks, { withinMs: 60_000 });
  assert.ok(fetched.images.every((image, index) => images[index]!.equals(image!)));
  assert.ok(proxy.deliveredBytes < 1.1 * imageCount * imageBytes, `${proxy.deliveredBytes} bytes`);
});

test("the bytes that have come are counted while the images arrive, not when they are complete", async (t) => {
  const { tasks, inbox } = await openFixture(t);
  const fetching = inbox.fetch(tasks, { withinMs: 60_000 });
  while (inbox.receivedBytes() === 0) await setImmediate();
  assert.ok(inbox.receivedBytes() < imageBytes, `${inbox.receivedBytes()} bytes`);
  using _fetched = await fetching;
  assert.ok(inbox.receivedBytes() > imageCount * imageBytes);
});

test("after a broken connection only the missing images are requested again", async (t) => {
  const { tasks, images, inbox, proxy } = await openFixture(t);
  proxy.cutAt = proxy.deliveredBytes + 3.5 * imageBytes;
  using fetched = await inbox.fetch(tasks, { withinMs: 60_000 });
  assert.ok(fetched.images.every((image, index) => images[index]!.equals(image!)));
  assert.ok(proxy.deliveredBytes < 1.4 * imageCount * imageBytes, `${proxy.deliveredBytes} bytes`);
});

test("an image that is gone is null, and the memory of the others is zeroed in the end", async (t) => {
  const { tasks, inbox } = await openFixture(t);
  const fetched = await inbox.fetch([tasks[0]!, "gone/nnnnnnnnnnnnnnnn/0" as TaskId], { withinMs: 60_000 });
  assert.deepEqual([fetched.images[0]?.length, fetched.images[1]], [imageBytes, null]);
  // Memory that was given back cannot be looked at.
  t.mock.method(ArrayBuffer.prototype, "transfer", () => {});
  fetched[Symbol.dispose]();
  assert.equal(fetched.images[0]!.length, imageBytes);
  assert.ok(fetched.images[0]!.every((byte) => byte === 0));
});

test("images of two batches are received side by side, and zeroing one batch leaves the other", async (t) => {
  const { tasks, images, inbox } = await openFixture(t);
  const [first, second] = await Promise.all([
    inbox.fetch([tasks[0]!, tasks[2]!, tasks[4]!], { withinMs: 60_000 }),
    inbox.fetch([tasks[1]!, tasks[3]!, tasks[5]!], { withinMs: 60_000 }),
  ]);
  first[Symbol.dispose]();
  assert.ok(second.images.every((image, index) => images[2 * index + 1]!.equals(image!)));
  using third = await inbox.fetch([tasks[0]!], { withinMs: 60_000 });
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  assert.ok(images[0]!.equals(third.images[0]!));
  using _fourth = await inbox.fetch([tasks[1]!], { withinMs: 60_000 });
  await assert.rejects(inbox.fetch([tasks[2]!], { withinMs: 60_000 }), /more batches are fetched/);
});

test("a server that falls silent is given up, and used again when it is back", async (t) => {
  const { tasks, images, inbox, proxy } = await openFixture(t);
  proxy.silent = true;
  await assert.rejects(inbox.fetch(tasks, { withinMs: 500 }));
  proxy.silent = false;
  using fetched = await inbox.fetch(tasks, { withinMs: 60_000 });
  assert.ok(images[0]!.equals(fetched.images[0]!));
});

/** Images in Redis, and an inbox behind a network that takes 1.5 s for them, with a limit of 300 ms. */
async function openFixture(t: TestContext) {
  const config = readConfig(VolatileRedisConfig, process.env);
  const redis = await connectVolatileRedis(config);
  const proxy = await openThrottlingProxy(config.REDIS_VOLATILE_URL, { pieceBytes: 10 * 1024, everyMs: 10 });
  const limits = { REDIS_VOLATILE_URL: proxy.url, REDIS_COMMAND_MS: 300 };
  const inbox = await openImageInbox({
    config: { ...config, ...limits },
    log: openLog("test", "silent"),
    metrics: metricsOff,
    batchesMax: 2,
  });
  t.after(async () => {
    await inbox[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });
  const call = randomBytes(8).toString("hex");
  const tasks = Array.from(
    { length: imageCount },
    (_, index) => `${call}/nnnnnnnnnnnnnnnn/${index}` as TaskId,
  );
  const images = tasks.map(() => randomBytes(imageBytes));
  for (const [index, task] of tasks.entries()) {
    await redis.set(imageKey(task), images[index]!, "PX", 60_000);
  }
  return { tasks, images, inbox, proxy };
}
