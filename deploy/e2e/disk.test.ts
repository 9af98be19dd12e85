import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import test from "node:test";
import { RepresentReply } from "@faceline/contracts/http/represent";
import { readConfig } from "@faceline/contracts/runtime/config";
import { KafkaConfig, openAdmin, openProducer } from "@faceline/contracts/runtime/kafka";
import { connectRedis } from "@faceline/contracts/runtime/redis";
import { portraits } from "./faces.ts";
import { filesWith, imprintOf, imprintOfVector, pieceBytes } from "./imprint.ts";
import { type Stack, stack } from "./stack.ts";

const run = process.env["FACELINE_TEST_RUN"] ?? "";
const kafkaFolder = join(run, "kafka");
const durableFolder = join(run, "redis", "durable");
const folders = [kafkaFolder, durableFolder, join(run, "redis", "volatile"), join(run, "logs")];

/** Their own folders are searched: servers that ran before have theirs elsewhere. */
const skip =
  !existsSync(join(kafkaFolder, "data", "meta.properties")) &&
  "Kafka and Redis were not started by this test run";

test("neither a picture nor an embedding is on any disk", { skip }, async (t) => {
  const running = await stack(t);
  const pictures = await portraits();
  const vectors = await send(running, pictures);
  // What they log last is on disk then.
  await running.services[Symbol.asyncDispose]();

  const runs = [...pictures.flatMap(imprintOf), ...vectors.flatMap(imprintOfVector)];
  assert.deepEqual(await filesWith(runs, [...folders, running.logs]), []);

  await t.test("and the search would find one, in every form and across the pieces it reads", async (t) => {
    const [picture = Buffer.alloc(0)] = pictures;
    const [vector = []] = vectors;
    const forms = {
      oneRun: runs[0]!,
      raw: picture,
      base64: picture.toString("base64"),
      base64After1: Buffer.concat([Buffer.alloc(1), picture]).toString("base64"),
      base64After2: Buffer.concat([Buffer.alloc(2), picture]).toString("base64"),
      hex: picture.toString("hex"),
      json: JSON.stringify(picture),
      float32: Buffer.from(Float32Array.from(vector).buffer),
      numbers: JSON.stringify(vector),
    };
    const folder = join(running.logs, "planted");
    mkdirSync(folder);
    t.after(() => rmSync(folder, { recursive: true }));
    for (const [name, form] of Object.entries(forms)) {
      const content = Buffer.from(form);
      const before = Buffer.alloc(pieceBytes - content.length / 2, "-");
      writeFileSync(join(folder, name), Buffer.concat([before, content]));
    }
    const found = await filesWith(runs, [running.logs]);
    assert.deepEqual(found.map((file) => basename(file)).toSorted(), Object.keys(forms).toSorted());
  });

  await t.test("and it would find one in Kafka's own files, and in those of the durable Redis", async () => {
    await using planted = new AsyncDisposableStack();
    const image = pictures[0]!.toString("base64");
    const topic = await plantInKafka(planted, image);
    await plantInRedis(planted, image);
    const found = await filesWith(runs, folders);
    const places = new Set(
      found.map((file) => (file.startsWith(durableFolder) ? "redis" : basename(dirname(file)))),
    );
    assert.deepEqual([...places].toSorted(), [`${topic}-0`, "redis"].toSorted());
  });
});

/** Every way in which a picture or an embedding comes in, also those that end badly. Returns the embeddings. */
async function send({ address, key, post }: Stack, pictures: Buffer[]): Promise<number[][]> {
  const images = pictures.map((picture) => picture.toString("base64"));
  const [first = "", second = ""] = images;
  const vectors: number[][] = [];
  for (const img of images) {
    const reply = await post("/represent", { img });
    const { results } = RepresentReply.parse(reply.body);
    vectors.push(...results.map(({ embedding }) => embedding as number[]));
  }
  assert.equal(vectors.length, pictures.length);

  const expect = async (status: number, reply: Promise<{ status: number }>) =>
    assert.equal((await reply).status, status);
  await expect(200, post("/verify", { img1: `data:image/jpeg;base64,${first}`, img2: second }));
  await expect(
    200,
    post("/compare", { img: first, candidates: [vectors[0], second, { vector: vectors[1] }] }),
  );
  await expect(200, post("/represent", { img: first, embedding_format: "base64" }));
  const truncated = pictures[0]!.subarray(0, pictures[0]!.length * 0.8).toString("base64");
  await expect(400, post("/represent", { img: truncated }));
  await expect(400, post("/verify", { img1: vectors[0], img2: [...vectors[1]!, 1] }));
  await expect(401, post("/represent", { img: first }, { "x-api-key": "nobody's" }));
  await expect(404, post("/nowhere", { img: first }));
  await expect(
    400,
    fetch(`${address}/represent`, { method: "POST", headers: { "x-api-key": key }, body: first }),
  );
  // Ends as it may: refused, late, or in time.
  await Promise.all(images.map((img) => post("/represent", { img }, { "x-request-timeout-ms": "50" })));
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
