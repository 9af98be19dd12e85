import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { readConfig } from "@faceline/contracts/runtime/config";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { imageKey } from "@faceline/contracts/wire/names";
import { openImageOutbox } from "./image-outbox.ts";

const config = readConfig(VolatileRedisConfig, process.env);
const timeToLiveMs = 30_000;

test("a team that has as many images in flight as it can get leaves room for other teams", async (t) => {
  const redis = await connection(t);
  const outbox = openImageOutbox(redis, 1_000_000);
  const photographs = await Promise.allSettled(
    Array.from({ length: 10 }, () => outbox.publish("ants", [image(100_000)], timeToLiveMs)),
  );
  const [published, refused] = Map.groupBy(photographs, ({ status }) => status).values();
  assert.equal(published?.length, 7);
  assert.ok(refused!.every((each) => each.status === "rejected" && each.reason.code === "queue_full"));

  const picture = image(50_000);
  const other = await outbox.publish("bees", [picture], timeToLiveMs);
  assert.equal((await redis.getBuffer(imageKey(picture.task)))?.length, 50_000);
  for (const each of published) if (each.status === "fulfilled") each.value[Symbol.dispose]();
  other[Symbol.dispose]();
  assert.equal(await redis.exists(imageKey(picture.task)), 0);
});

const image = (bytes: number) => ({ task: `a/${randomUUID()}/0` as TaskId, bytes: Buffer.alloc(bytes, 1) });

async function connection(t: TestContext) {
  const redis = await connectVolatileRedis(config);
  t.after(() => redis[Symbol.asyncDispose]());
  return redis;
}
