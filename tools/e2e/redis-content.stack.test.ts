// Covers docs/using/privacy.md: what the volatile Redis has of requests that have ended.
import assert from "node:assert/strict";
import { randomInt, randomUUID } from "node:crypto";
import test from "node:test";
import { RepresentResponse } from "@faceline/contracts/http/represent";
import { readConfig } from "@faceline/runtime/config";
import { connectVolatileRedis, type RedisConnection, VolatileRedisConfig } from "@faceline/runtime/redis";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import sharp from "sharp";
import { apiClient } from "./stack/api-client.ts";
import { fragmentsOf, fragmentsOfVector } from "./stack/disk-search.ts";
import { startStack } from "./stack/stack.ts";

test("Redis has no image and no embedding once a request has ended, however it ended", async (t) => {
  const {
    address,
    post: postTo,
    postOnce,
    services,
    key,
  } = await startStack(t, {
    settings: { DRAIN_NOTICE_MS: "0", DRAIN_WITHIN_MS: "1500" },
  });
  // With the longest deadline, an answer that stays does so for longer than this test waits.
  const lasting = { "x-request-timeout-ms": "120000" };
  const post = (path: string, body: object) => postTo(path, body, lasting);
  await using redis = await connectVolatileRedis(readConfig(VolatileRedisConfig, process.env));
  // Other tests use the same server: these images, and so their embeddings, are in no other test.
  const images = await Promise.all(
    (await portraits()).map((each) => sharp(each).resize(randomInt(240, 400)).jpeg().toBuffer()),
  );
  const [img1, img2, img3] = images.map((each) => each.toString("base64"));
  const fragments = images.flatMap(fragmentsOf);
  for (const image of images) {
    const { body } = await post("/represent", { img: image.toString("base64") });
    for (const { embedding } of RepresentResponse.parse(body).results) {
      fragments.push(...fragmentsOfVector(embedding as number[]));
    }
  }
  const found = async () =>
    (await contentOf(redis))
      .filter(({ value }) => fragments.some((fragment) => value.includes(fragment)))
      .map(({ name }) => name);
  // The image of one more request has come: then a worker that stands still has it ahead.
  const sendWhileWorkerStands = async (signal?: AbortSignal) => {
    const before = new Set(await found());
    process.kill(services.find("inference-1").pid!, "SIGSTOP");
    const headers = { ...lasting, "content-type": "application/json", "x-api-key": key };
    const body = JSON.stringify({ img: img1 });
    const call = fetch(`${address}/represent`, { method: "POST", headers, body, signal: signal ?? null });
    call.catch(() => {});
    await waitUntil("its image is in Redis", async () => (await found()).some((name) => !before.has(name)));
    return { call };
  };
  const letWorkerGoOn = () => process.kill(services.find("inference-1").pid!, "SIGCONT");
  const assertNothingFound = async () => {
    // A marker is written when the answer arrives, and the response does not wait for it.
    await waitUntil("nothing is left in Redis", async () => (await found()).length === 0);
  };

  await t.test("after each endpoint, in each form, and the tester", async () => {
    await assertNothingFound();
    for (const [path, body] of [
      ["/verify", { img1, img2 }],
      ["/compare", { img: img1, candidates: [img2, img3, { img: img1 }] }],
      ["/represent", { img: img3, embedding_format: "base64", l2_normalize: true }],
    ] as const) {
      assert.equal((await post(path, body)).status, 200, path);
      await assertNothingFound();
    }
    const visitor = apiClient(address, "");
    assert.equal((await visitor("/tester/verify", { img1, img2 }, { origin: address })).status, 200);
    await assertNothingFound();
  });

  await t.test(
    "the control: an embedding and an image that are there are found, in a text and a hash",
    async () => {
      const { body } = await post("/represent", { img: img1, embedding_format: "base64" });
      const [face] = RepresentResponse.parse(body).results;
      const [text, hash] = [`scratch:1:${randomUUID()}`, `scratch:2:${randomUUID()}`];
      await redis.set(text, JSON.stringify({ embedding: face!.embedding }), "PX", 60_000);
      await redis.hset(hash, "image", img2!);
      assert.deepEqual((await found()).toSorted(), [text, hash]);
      await redis.del(text, hash);
    },
  );

  await t.test("after an error, and a deadline that has passed", async () => {
    const damaged = images[0]!.subarray(0, images[0]!.length * 0.8).toString("base64");
    assert.equal((await post("/verify", { img1, img2: damaged })).status, 400);
    await Promise.all(
      [40, 60, 80, 100, 150].map((ms) =>
        postOnce("/verify", { img1, img2 }, { "x-request-timeout-ms": `${Math.max(50, ms)}` }),
      ),
    );
    await assertNothingFound();
  });

  await t.test("after a client that left before the answer came", async () => {
    const leaves = new AbortController();
    const { call } = await sendWhileWorkerStands(leaves.signal);
    leaves.abort();
    letWorkerGoOn();
    await assert.rejects(call);
    assert.equal((await post("/represent", { img: img2 })).status, 200);
    await assertNothingFound();
  });

  await t.test("after an ingress that was stopped with requests in flight", async () => {
    const { call } = await sendWhileWorkerStands();
    services.find("ingress-1").kill("SIGTERM");
    letWorkerGoOn();
    await call.catch(() => {});
    await assertNothingFound();
  });
});

/** Reads every key of the server: texts, and hashes with their fields. */
async function contentOf(redis: RedisConnection): Promise<{ name: string; value: Buffer }[]> {
  const content: { name: string; value: Buffer }[] = [];
  let cursor = "0";
  do {
    const [next, names] = await redis.scan(cursor, "COUNT", 500);
    cursor = next;
    for (const name of names) {
      const isHash = (await redis.type(name)) === "hash";
      const value = isHash ? JSON.stringify(await redis.hgetall(name)) : await redis.getBuffer(name);
      if (value !== null) content.push({ name, value: Buffer.from(value) });
    }
  } while (cursor !== "0");
  return content;
}
