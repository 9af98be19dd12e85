import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { HealthReply } from "@faceline/contracts/http/health";
import { VerifyReply } from "@faceline/contracts/http/verify";
import { readConfig } from "@faceline/contracts/runtime/config";
import { KafkaConfig, openAdmin } from "@faceline/contracts/runtime/kafka";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { batcherGroup, imageKey, tasksTopic } from "@faceline/contracts/wire/names";
import { together } from "./caller.ts";
import { portraits } from "./faces.ts";
import { until } from "./patience.ts";
import { type Stack, stack } from "./stack.ts";

const callsMax = 100;
const rounds = 5;
const batchers = ["batcher-1", "batcher-2"];

/** The longest that the service allows: whoever is late by then was forgotten. */
const deadlineMs = "120000";

test("two workers, two batchers", async (t) => {
  const running = await stack(t, { workers: 2, batchers: 2 });
  const tasks = await tasksOf(t, running);
  const pictures = (await portraits()).map((picture) => picture.toString("base64"));

  /** Compares portrait 0 with one of the three: each has a distance of its own, which tells whose answer came. */
  const compare = async (id: string, other: number): Promise<number> => {
    const body = { img1: pictures[0], img2: pictures[other], detector_backend: "tiny" };
    const headers = { "x-request-id": id, "x-request-timeout-ms": deadlineMs };
    const reply = await running.post("/verify", body, headers);
    assert.equal(reply.status, 200, `${id}: ${JSON.stringify(reply.body)}`);
    const { request_id, distance } = VerifyReply.parse(reply.body);
    assert.deepEqual([request_id, reply.headers.get("x-request-id")], [id, id]);
    return distance;
  };
  const distances: number[] = [];
  for (const other of pictures.keys()) distances.push(await compare("calm", other));
  const check = async (id: string, other: number) => {
    const distance = await compare(id, other);
    assert.ok(
      Math.abs(distance - distances[other]!) < 1e-3,
      `${id} got ${distance}, not ${distances[other]}`,
    );
  };

  /** Kills while calls are in flight, and returns how many were. */
  const kill = async (victims: () => string[]): Promise<number> => {
    const before = await tasks.end();
    let answered = 0;
    const calls = together({ inFlightMax: callsMax }, [...Array(callsMax).keys()], async (number) => {
      await check(`call-${number}`, number % pictures.length);
      answered++;
    });
    const underWay = until("all calls are posted and some answered", async () => {
      return (await tasks.end()) - before === BigInt(callsMax) && answered >= callsMax / 10;
    });
    await Promise.race([underWay, calls]);
    for (const name of victims()) running.services.find(name).kill("SIGKILL");
    const inFlight = callsMax - answered;
    await calls;
    return inFlight;
  };

  /** Nothing is left of the calls, and all processes are back. */
  const recover = async () => {
    // A reply does not wait for the images of its call to be deleted.
    await until("no image is left", async () => (await tasks.images()).length === 0);
    await until("both workers are back", async () => (await workers(running)) === 2);
    await until("both batchers are back", async () => {
      return batchers.every((name) => running.services.find(name).pid !== undefined);
    });
    await until("all tasks are committed", async () => (await tasks.committed()) === (await tasks.end()));
    await check("afterwards", 1);
  };

  await t.test("lose no call when a worker is killed", async (t) => {
    const inFlight = await kill(() => ["inference-1"]);
    assert.ok(inFlight > 0);
    t.diagnostic(
      `${inFlight} of ${callsMax} calls were in flight; all were answered, each with its own answer`,
    );
    await recover();
  });

  await t.test("lose no call when a worker and the active batcher are killed", async (t) => {
    const inFlight = await kill(() => ["inference-2", activeBatcher(running)]);
    assert.ok(inFlight > 0);
    t.diagnostic(
      `${inFlight} of ${callsMax} calls were in flight; all were answered, each with its own answer`,
    );
    await recover();
  });

  await t.test("never mix the answers of calls with one id", async () => {
    for (let round = 0; round < rounds; round++) {
      await Promise.all([...pictures.keys()].map((other) => check("shared", other)));
    }
  });
});

/** The batcher whose log said last that it holds the tasks. */
function activeBatcher({ logs }: Stack): string {
  const active = batchers.filter((name) => {
    const lines = readFileSync(join(logs, `${name}.log`), "utf8").split("\n");
    return lines.findLast((line) => line.includes('"active":'))?.includes('"active":true');
  });
  assert.equal(active.length, 1, `active: ${active.join(", ")}`);
  return active[0]!;
}

async function workers({ address, pool }: Stack): Promise<number> {
  const health = HealthReply.parse(await (await fetch(`${address}/health`)).json());
  return health.checks.pools[pool]?.["Dlib/tiny"]?.workers ?? 0;
}

/** What Kafka and Redis hold of the tasks of a pool. */
async function tasksOf(t: TestContext, { pool }: Stack): Promise<Tasks> {
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
