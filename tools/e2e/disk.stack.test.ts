import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import test from "node:test";
import { RepresentResponse } from "@faceline/contracts/http/represent";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig, openAdmin } from "@faceline/runtime/kafka";
import { openProducer } from "@faceline/runtime/kafka-producer";
import { connectRedis } from "@faceline/runtime/redis";
import { portraits } from "@faceline/testing/faces";
import { chunkBytes, filesContaining, fragmentsOf, fragmentsOfVector } from "./stack/disk-search.ts";
import { startStack, type TestStack } from "./stack/stack.ts";

const run = process.env["FACELINE_TEST_RUN"] ?? "";
const kafkaFolder = join(run, "kafka");
const durableFolder = join(run, "redis", "durable");
const folders = [kafkaFolder, durableFolder, join(run, "redis", "volatile"), join(run, "logs")];

/** The folders of this run are searched: servers that already ran before have theirs elsewhere. */
const skip =
  !existsSync(join(kafkaFolder, "data", "meta.properties")) &&
  "Kafka and Redis were not started by this test run";

test("neither an image nor an embedding is on any disk", { skip }, async (t) => {
  const running = await startStack(t);
  const images = await portraits();
  const vectors = await send(running, images);
  // Their last log lines are then on disk.
  await running.services[Symbol.asyncDispose]();

  const fragments = [...images.flatMap(fragmentsOf), ...vectors.flatMap(fragmentsOfVector)];
  assert.deepEqual(await filesContaining(fragments, [...folders, running.logs]), []);

  await t.test(
    "the search finds a planted image or embedding in every encoding, also across chunk borders",
    async (t) => {
      const [image = Buffer.alloc(0)] = images;
      const [vector = []] = vectors;
      const forms = {
        oneFragment: fragments[0]!,
        raw: image,
        base64: image.toString("base64"),
        base64After1: Buffer.concat([Buffer.alloc(1), image]).toString("base64"),
        base64After2: Buffer.concat([Buffer.alloc(2), image]).toString("base64"),
        hex: image.toString("hex"),
        json: JSON.stringify(image),
        float32: Buffer.from(Float32Array.from(vector).buffer),
        numbers: JSON.stringify(vector),
      };
      const folder = join(running.logs, "planted");
      mkdirSync(folder);
      t.after(() => rmSync(folder, { recursive: true }));
      for (const [name, form] of Object.entries(forms)) {
        const content = Buffer.from(form);
        const before = Buffer.alloc(chunkBytes - content.length / 2, "-");
        writeFileSync(join(folder, name), Buffer.concat([before, content]));
      }
      const files = await filesContaining(fragments, [running.logs]);
      assert.deepEqual(files.map((file) => basename(file)).toSorted(), Object.keys(forms).toSorted());
    },
  );

  await t.test(
    "the search finds a planted image in the files of Kafka and of the durable Redis",
    async () => {
      await using planted = new AsyncDisposableStack();
      const image = images[0]!.toString("base64");
      const topic = await plantInKafka(planted, image);
      await plantInRedis(planted, image);
      const files = await filesContaining(fragments, folders);
      const locations = new Set(
        files.map((file) => (file.startsWith(durableFolder) ? "redis" : basename(dirname(file)))),
      );
      assert.deepEqual([...locations].toSorted(), [`${topic}-0`, "redis"].toSorted());
    },
  );
});

/**
 * Sends images and embeddings in every way in which they can be sent, also in calls that fail. Returns the
 * embeddings.
 */
async function send({ address, key, post, postOnce }: TestStack, images: Buffer[]): Promise<number[][]> {
  const encoded = images.map((image) => image.toString("base64"));
  const [first = "", second = ""] = encoded;
  const vectors: number[][] = [];
  for (const img of encoded) {
    const response = await post("/represent", { img });
    const { results } = RepresentResponse.parse(response.body);
    vectors.push(...results.map(({ embedding }) => embedding as number[]));
  }
  assert.equal(vectors.length, images.length);

  const assertStatus = async (status: number, response: Promise<{ status: number }>) =>
    assert.equal((await response).status, status);
  await assertStatus(200, post("/verify", { img1: `data:image/jpeg;base64,${first}`, img2: second }));
  await assertStatus(
    200,
    post("/compare", {
      model_name: "SFace",
      img: first,
      candidates: [vectors[0], second, { vector: vectors[1] }],
    }),
  );
  await assertStatus(200, post("/represent", { img: first, embedding_format: "base64" }));
  const truncated = images[0]!.subarray(0, images[0]!.length * 0.8).toString("base64");
  await assertStatus(400, post("/represent", { img: truncated }));
  await assertStatus(400, post("/verify", { img1: vectors[0], img2: [...vectors[1]!, 1] }));
  await assertStatus(401, post("/represent", { img: first }, { "x-api-key": "nobody's" }));
  await assertStatus(404, post("/nowhere", { img: first }));
  await assertStatus(
    400,
    fetch(`${address}/represent`, { method: "POST", headers: { "x-api-key": key }, body: first }),
  );
  // Any status is accepted: rejected, late, or in time.
  await Promise.all(encoded.map((img) => postOnce("/represent", { img }, { "x-request-timeout-ms": "50" })));
  return vectors;
}

async function plantInKafka(planted: AsyncDisposableStack, image: string): Promise<string> {
  const config = readConfig(KafkaConfig, process.env);
  const admin = planted.use(await openAdmin(config));
  const topic = `scratch-${randomBytes(6).toString("hex")}`;
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
  planted.defer(() => admin.deleteTopics({ topics: [topic] }));
  const producer = planted.use(await openProducer(config, "test"));
  await producer.send(topic, 0, JSON.stringify({ image }));
  return topic;
}

async function plantInRedis(planted: AsyncDisposableStack, image: string): Promise<void> {
  const redis = planted.use(
    await connectRedis("REDIS_DURABLE_URL", process.env["REDIS_DURABLE_URL"]!, 5_000),
  );
  await redis.set("scratch", image);
  planted.defer(async () => void (await redis.del("scratch")));
}
