import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { readConfig } from "@faceline/contracts/runtime/config";
import { newProcessId } from "@faceline/contracts/runtime/process";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import type { LimitOverrides } from "@faceline/contracts/stored/team";
import { faces, picture, stage, stageKey, until } from "../stage.ts";
import { openEntrance } from "./entrance.ts";

const config = readConfig(VolatileRedisConfig, process.env);
const vectors = { img1: [1, 0], img2: [1, 0] };
const image = await picture();
const off = { requestsPerSecond: 0, requestsBurst: 0, inFlightMax: 0 };

test("two ingresses share the rate of a team: the burst, and one call a second after it", async (t) => {
  const { ingress } = await scene(t, { ...off, requestsPerSecond: 1, requestsBurst: 10 });
  const [one, other] = [await ingress(), await ingress()];
  const startedAt = performance.now();
  const calls = await Promise.all(
    Array.from({ length: 30 }, (_, i) => (i % 2 ? one : other).post("/verify", vectors)),
  );
  const refilled = Math.ceil((performance.now() - startedAt) / 1_000);
  const passed = calls.filter(({ statusCode }) => statusCode === 200).length;
  assert.ok(passed >= 10 && passed <= 10 + refilled, `${passed} of a burst of 10 passed`);
  const left = calls.map(({ headers }) => Number(headers["ratelimit-remaining"]));
  assert.deepEqual([Math.max(...left), Math.min(...left)], [9, 0]);
  assert.ok(calls.every(({ headers }) => Number(headers["ratelimit-limit"]) === 10));
});

test("Retry-After is true: who waits that long is let in", async (t) => {
  const { ingress } = await scene(t, { ...off, requestsPerSecond: 1, requestsBurst: 2 });
  const { post } = await ingress();
  for (let round = 0; round < 2; round++) {
    const refused = await refusal(() => post("/verify", vectors));
    assert.equal(refused.json().error, "rate_limited");
    assert.ok(Number(refused.headers["ratelimit-reset"]) >= Number(refused.headers["retry-after"]));
    await new Promise((resolve) => setTimeout(resolve, Number(refused.headers["retry-after"]) * 1_000));
    assert.equal((await post("/verify", vectors)).statusCode, 200);
  }
});

test("other teams do not notice, and 0 lifts a limit", async (t) => {
  const flooded = await (await scene(t, { ...off, requestsPerSecond: 1, requestsBurst: 1 })).ingress();
  await refusal(() => flooded.post("/verify", vectors));
  const other = await (await scene(t, { ...off, requestsPerSecond: 1, requestsBurst: 1 })).ingress();
  assert.equal((await other.post("/verify", vectors)).statusCode, 200);
  const free = await (await scene(t, { ...off, requestsPerSecond: 1 })).ingress();
  const calls = await Promise.all(Array.from({ length: 20 }, () => free.post("/verify", vectors)));
  assert.ok(calls.every(({ statusCode, headers }) => statusCode === 200 && !("ratelimit-limit" in headers)));
});

test("two ingresses share the calls that a team has in flight; one that ends makes room in both", async (t) => {
  const { ingress } = await scene(t, { ...off, inFlightMax: 3 });
  const [one, other] = [await ingress(), await ingress()];
  const held = [one.hold(), one.hold(), other.hold()];
  await Promise.all(held.map(({ begun }) => begun));
  for (const { post } of [one, other]) {
    const refused = await post("/verify", vectors);
    assert.deepEqual([refused.statusCode, refused.json().error], [429, "rate_limited"]);
    assert.equal(refused.headers["retry-after"], "1");
  }
  held[0]!.end();
  assert.equal((await held[0]!.reply).statusCode, 200);
  await admitted(() => other.post("/verify", vectors));
  for (const { end, reply } of held) {
    end();
    await reply;
  }
});

test("the calls of an ingress that died are not counted for longer than seconds", async (t) => {
  const { ingress } = await scene(t, { ...off, inFlightMax: 2 });
  const [dying, other] = [await ingress(), await ingress()];
  // The other one lives, and says so of its own.
  const held = [dying.hold(), other.hold()];
  await Promise.all(held.map(({ begun }) => begun));
  dying.redis.disconnect();
  assert.equal((await other.post("/verify", vectors)).statusCode, 429);
  await admitted(() => other.post("/verify", vectors));
  for (const { end, reply } of held) {
    end();
    await reply;
  }
});

test("the calls of an ingress that lives are counted for as long as they take", async (t) => {
  const { ingress, redis, team } = await scene(t, { ...off, inFlightMax: 1 });
  const [one, other] = [await ingress(), await ingress()];
  const held = one.hold();
  await held.begun;
  // As if it had not been heard of for three seconds: it says so again before others look.
  await redis.del(`flights:${team}`);
  await until("it is counted", async () => (await other.post("/verify", vectors)).statusCode === 429);
  held.end();
  await held.reply;
});

test("while Redis is away every ingress counts alone", async (t) => {
  const { ingress } = await scene(t, { requestsPerSecond: 1, requestsBurst: 5, inFlightMax: 2 });
  const alone = await ingress();
  alone.redis.disconnect();
  const held = [alone.hold(), alone.hold()];
  await Promise.all(held.map(({ begun }) => begun));
  assert.equal((await alone.post("/verify", vectors)).statusCode, 429);
  for (const { end, reply } of held) {
    end();
    await reply;
  }
  assert.equal((await alone.post("/verify", vectors)).statusCode, 200);
  await refusal(() => alone.post("/verify", vectors));
});

/** A team of its own, and ingresses that share the real Redis. */
async function scene(t: TestContext, limits: LimitOverrides) {
  const team = `team-${randomUUID()}`;
  const redis = await connection(t);
  const ingress = async () => {
    const redis = await connection(t);
    const entrance = openEntrance(redis, newProcessId("ingress"));
    t.after(() => entrance[Symbol.asyncDispose]());
    /** By request id: calls that come together need not get so far in their order. */
    const held = new Map<string, { begin(): void; ended: Promise<void> }>();
    const { post } = stage(t, {
      findKey: async () => ({ key: { ...stageKey.key, team }, limits }),
      enter: entrance.enter,
      findFaces: async ({ images, requestId }) => {
        held.get(requestId)?.begin();
        await held.get(requestId)?.ended;
        return images.map(() => faces([1, 0]));
      },
    });
    /** A call that is in flight from `begun` on, until it is told to end. */
    const hold = () => {
      const begun = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      const id = randomUUID();
      held.set(id, { begin: begun.resolve, ended: ended.promise });
      return {
        reply: post("/represent", { img: image }, { "x-request-id": id }),
        begun: begun.promise,
        end: () => ended.resolve(),
      };
    };
    return { post, hold, redis };
  };
  return { ingress, redis, team };
}

async function connection(t: TestContext) {
  const redis = await connectVolatileRedis(config);
  t.after(() => redis[Symbol.asyncDispose]());
  return redis;
}

/** Calls until one is refused. */
async function refusal<T extends { statusCode: number }>(call: () => Promise<T>): Promise<T> {
  let reply = await call();
  await until("a call is refused", async () => (reply = await call()).statusCode === 429);
  return reply;
}

const admitted = (call: () => Promise<{ statusCode: number }>) =>
  until("a call is let in", async () => (await call()).statusCode === 200);
