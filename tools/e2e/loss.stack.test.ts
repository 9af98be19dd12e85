import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { HealthResponse } from "@faceline/contracts/http/health";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig, openAdmin } from "@faceline/runtime/kafka";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/runtime/redis";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { batcherGroup, imageKey, tasksTopic } from "@faceline/contracts/wire/names";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { runConcurrently } from "./stack/api-client.ts";
import { startStack, type TestStack } from "./stack/stack.ts";

const callsMax = 100;
const rounds = 5;
const batchers = ["batcher-1", "batcher-2"];

test("loss of processes, with two workers and two batchers", async (t) => {
  const running = await startStack(t, { workers: 2, batchers: 2 });
  const tasks = await openTaskCounts(t, running);
  const images = (await portraits()).map((image) => image.toString("base64"));

  /** Compares portrait 0 with one of the three. Their distances differ, so a mixed-up answer is noticed. */
  const compare = async (id: string, other: number): Promise<number> => {
    const body = { img1: images[0], img2: images[other] };
    // With the longest deadline that the service allows: a call that misses it was lost.
    const response = await running.post("/verify", body, { "x-request-id": id });
    assert.equal(response.status, 200, `${id}: ${JSON.stringify(response.body)}`);
    const { request_id, distance } = VerifyResponse.parse(response.body);
    assert.deepEqual([request_id, response.headers.get("x-request-id")], [id, id]);
    return distance;
  };
  const distances: number[] = [];
  for (const other of images.keys()) distances.push(await compare("reference", other));
  const check = async (id: string, other: number) => {
    const distance = await compare(id, other);
    assert.ok(
      Math.abs(distance - distances[other]!) < 1e-3,
      `${id} received ${distance}, not ${distances[other]}`,
    );
  };

  /** Kills processes when a tenth of the calls are answered, while all others are in flight. */
  const kill = async (victims: () => string[]): Promise<void> => {
    let answered = 0;
    await runConcurrently({ inFlightMax: callsMax }, [...Array(callsMax).keys()], async (number) => {
      await check(`call-${number}`, number % images.length);
      if (++answered !== callsMax / 10) return;
      for (const name of victims()) running.services.find(name).kill("SIGKILL");
    });
  };

  /** Waits until nothing is left of the calls and all processes are back. */
  const recover = async () => {
    // The response does not wait for the deletion of the call's images.
    await waitUntil("no image is left", async () => (await tasks.images()).length === 0);
    await waitUntil("both workers are back", async () => (await workers(running)) === 2);
    await waitUntil("both batchers are back", async () => {
      return batchers.every((name) => running.services.find(name).pid !== undefined);
    });
    await waitUntil("all tasks are committed", async () => (await tasks.committed()) === (await tasks.end()));
    await check("afterwards", 1);
  };

  await t.test("no call is lost when a worker is killed", async () => {
    await kill(() => ["inference-1"]);
    await recover();
  });

  await t.test("no call is lost when a worker and the active batcher are killed", async () => {
    await kill(() => ["inference-2", ...activeBatchers(running)]);
    await recover();
  });

  await t.test("answers of calls with the same id are never mixed up", async () => {
    for (let round = 0; round < rounds; round++) {
      await Promise.all([...images.keys()].map((other) => check("shared", other)));
    }
  });
});

/** The batcher whose last log line about it has `active: true`: both, or none, while one takes over. */
function activeBatchers({ logs }: TestStack): string[] {
  return batchers.filter((name) => {
    const lines = readFileSync(join(logs, `${name}.log`), "utf8").split("\n");
    return lines.findLast((line) => line.includes('"active":'))?.includes('"active":true');
  });
}

async function workers({ address, pool }: TestStack): Promise<number> {
  const health = HealthResponse.parse(await (await fetch(`${address}/health`)).json());
  return health.checks.pools[pool]?.["SFace/auto"]?.workers ?? 0;
}

/** Reads how many tasks of a pool Kafka and Redis hold. */
async function openTaskCounts(t: TestContext, { pool }: TestStack): Promise<Tasks> {
  const admin = await openAdmin(readConfig(KafkaConfig, process.env));
  t.after(() => admin[Symbol.asyncDispose]());
  const redis = await connectVolatileRedis(readConfig(VolatileRedisConfig, process.env));
  t.after(() => redis[Symbol.asyncDispose]());
  const topic = tasksTopic(pool);
  return {
    async end() {
      const [partition] = await admin.fetchTopicOffsets(topic);
      return BigInt(partition!.high);
    },
    async committed() {
      const [group] = await admin.fetchOffsets({ groupId: batcherGroup(pool), topics: [topic] });
      return BigInt(group!.partitions[0]!.offset);
    },
    images: () => redis.keys(imageKey("*" as TaskId)),
  };
}

type Tasks = { end(): Promise<bigint>; committed(): Promise<bigint>; images(): Promise<string[]> };
