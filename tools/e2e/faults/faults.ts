import assert from "node:assert/strict";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { batchesTopic, inferenceGroup, tasksTopic } from "@faceline/contracts/wire/names";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig, openAdmin } from "@faceline/runtime/kafka";
import { openConsumer } from "@faceline/runtime/kafka-consumer";
import { openLog } from "@faceline/runtime/log";
import { connectRedis } from "@faceline/runtime/redis";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { openOtlpReceiver, type OtlpReceiver } from "@faceline/testing/otlp-receiver";
import type { SteadyCalls } from "../rolling/steady-calls.ts";
import { runConcurrently } from "../stack/api-client.ts";
import { killServer, pidOfServer, type ServerName } from "../stack/server-process.ts";
import type { TestStack } from "../stack/stack.ts";

/** Ends of calls that a fault may cause, besides 200. A call in flight may miss its deadline. */
const late = "504 upstream_timeout";
// What waited comes at once, and on a busy machine a restart or a rebalance takes seconds.
const load = ["503 queue_full", "503 queue_timeout"];
const withoutKafka = [
  ...load,
  "503 dependency_unavailable kafka",
  "503 dependency_unavailable batcher", // From the end of its session on.
  late,
];
const withoutVolatileRedis = ["503 dependency_unavailable redis-volatile", late];
/** An image that was stored and not yet fetched is gone. */
const imageLost = "502 upstream_failed";
const withoutImages = [...withoutVolatileRedis, imageLost];

/** Faults on real processes, and how a call may end meanwhile. Each ends with what caused it. */
export const faults: Fault[] = [
  { name: "nothing", act: async ({ calls }) => calls.moreEnded(40) },
  { name: "kill a worker", act: async ({ stack }) => stack.services.find("inference-1").kill("SIGKILL") },
  {
    name: "kill both workers",
    act: async ({ stack }) => {
      for (const worker of ["inference-1", "inference-2"]) stack.services.find(worker).kill("SIGKILL");
    },
    allowed: ["503 model_unavailable", ...load, late],
  },
  {
    name: "kill the active batcher",
    act: async ({ stack }) => stack.services.find(await activeBatcher(stack)).kill("SIGKILL"),
    deadlineMs: 6_000,
  },
  {
    name: "kill the ingress",
    act: async ({ stack }) => stack.services.find("ingress-1").kill("SIGKILL"),
    allowed: ["no connection", "503 not_ready"],
  },
  { name: "kill Kafka", act: () => killServer("kafka"), allowed: withoutKafka },
  { name: "kill the volatile Redis", act: () => killServer("redis-volatile"), allowed: withoutImages },
  { name: "kill the durable Redis", act: () => killServer("redis-durable") },

  { name: "stop a worker for 3 s", act: (rig) => stopService(rig, "inference-1", 3) },
  { name: "stop a worker for 10 s", act: (rig) => stopService(rig, "inference-1", 10) },
  {
    name: "stop the active batcher for 10 s",
    act: async (rig) => stopService(rig, await activeBatcher(rig.stack), 10),
    deadlineMs: 6_000,
  },
  { name: "stop the ingress for 3 s", act: (rig) => stopService(rig, "ingress-1", 3), allowed: [late] },
  { name: "stop Kafka for 10 s", act: () => stopServer("kafka", 10), allowed: withoutKafka },
  {
    name: "stop the volatile Redis for 10 s",
    act: () => stopServer("redis-volatile", 10),
    allowed: withoutVolatileRedis,
  },
  { name: "stop the durable Redis for 10 s", act: () => stopServer("redis-durable", 10) },
  { name: "starve Kafka of CPU", act: starveKafka, allowed: withoutKafka },

  {
    name: "delete the topic of tasks",
    act: ({ stack }) => deleteTopic(tasksTopic(stack.pool)),
    allowed: withoutKafka,
  },
  {
    name: "delete the topic of batches",
    act: ({ stack }) => deleteTopic(batchesTopic(stack.pool)),
    allowed: withoutKafka,
  },
  { name: "rebalance storm", act: joinAndLeave, allowed: load },

  { name: "FLUSHALL", act: () => onVolatileRedis(["FLUSHALL"]), allowed: [imageLost] },
  { name: "drop subscribers", act: () => onVolatileRedis(["CLIENT", "KILL", "TYPE", "pubsub"]) },
  {
    name: "drop clients of Redis",
    act: () => onVolatileRedis(["CLIENT", "KILL", "TYPE", "normal"]),
    allowed: withoutVolatileRedis,
  },
  {
    name: "volatile Redis full",
    act: (rig) => whileSet(rig, "maxmemory", "900kb"),
    allowed: withoutVolatileRedis,
  },
  {
    name: "volatile Redis persists",
    act: (rig) => whileSet(rig, "appendonly", "yes"),
    allowed: withoutVolatileRedis,
  },

  { name: "collector down", act: withoutCollector },
  { name: "retry storm", act: retryStorm, allowed: load },
  { name: "bodies above the limit", act: sendLargeBodies },
];

/** Fills the disk in `folder`, where Kafka has its data, and makes room again. */
export const fullDisk = (folder: string): Fault => ({
  name: "Kafka's disk full",
  async act({ calls }) {
    const ballast = join(folder, "ballast");
    try {
      for (;;) appendFileSync(ballast, Buffer.alloc(64 * 1024));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
    }
    await calls.moreEnded(100);
    rmSync(ballast);
  },
  allowed: withoutKafka,
});

async function stopService({ stack }: Rig, name: string, seconds: number): Promise<void> {
  const service = stack.services.find(name);
  service.kill("SIGSTOP");
  await sleep(1_000 * seconds);
  service.kill("SIGCONT");
}

async function stopServer(name: ServerName, seconds: number): Promise<void> {
  const pid = pidOfServer(name)!;
  process.kill(pid, "SIGSTOP");
  await sleep(1_000 * seconds);
  process.kill(pid, "SIGCONT");
}

/** Lets Kafka run for a tenth of the time. */
async function starveKafka({ calls }: Rig): Promise<void> {
  const pid = pidOfServer("kafka")!;
  const enough = calls.ends.length + 80;
  while (calls.ends.length < enough) {
    process.kill(pid, "SIGSTOP");
    await sleep(270);
    process.kill(pid, "SIGCONT");
    await sleep(30);
  }
}

async function deleteTopic(topic: string): Promise<void> {
  await using admin = await openAdmin(readConfig(KafkaConfig, process.env));
  await admin.deleteTopics({ topics: [topic] });
}

/** One more member of the workers' group comes and goes. It reports nothing, so it is sent no batch. */
async function joinAndLeave({ stack }: Rig): Promise<void> {
  for (let round = 0; round < 8; round++) {
    await using _member = await openConsumer(readConfig(KafkaConfig, process.env), {
      topic: batchesTopic(stack.pool),
      group: inferenceGroup(stack.pool),
      clientId: "storm",
      log: openLog("storm", "silent"),
      onAssignment: () => {},
      onMessages: () => {},
      onFatalError: (error) => assert.fail(error),
    });
  }
}

async function onVolatileRedis(...commands: [string, ...string[]][]): Promise<void> {
  await using redis = await connectRedis("REDIS_VOLATILE_URL", process.env["REDIS_VOLATILE_URL"]!, 5_000);
  for (const [command, ...args] of commands) await redis.call(command, ...args);
}

async function whileSet({ calls }: Rig, setting: string, value: string): Promise<void> {
  await using redis = await connectRedis("REDIS_VOLATILE_URL", process.env["REDIS_VOLATILE_URL"]!, 5_000);
  const [, before = ""] = await redis.config("GET", setting);
  await redis.config("SET", setting, value);
  await calls.moreEnded(60);
  await redis.config("SET", setting, before);
}

/** Spans that cannot be delivered cost no call. */
async function withoutCollector(rig: Rig): Promise<void> {
  const { port } = rig.collector;
  await rig.collector.close();
  await rig.calls.moreEnded(60);
  rig.collector = await openOtlpReceiver(port);
}

/**
 * Callers that retry at once, whatever Retry-After says, with deadlines that the pool cannot meet for all.
 * Each is refused clearly or served.
 */
async function retryStorm({ stack, body }: Rig): Promise<void> {
  const ends = await runConcurrently({ inFlightMax: 40 }, Array(800).fill(0), async () => {
    const { status, headers } = await stack.postOnce("/verify", body, { "x-request-timeout-ms": "300" });
    assert.ok(status !== 503 || headers.has("retry-after"));
    return status;
  });
  for (const status of ends) assert.ok([200, 503, 504].includes(status), `${status}`);
  assert.ok(ends.includes(200), "work goes on");
}

async function sendLargeBodies({ stack }: Rig): Promise<void> {
  const img = "A".repeat(0.6 * bodyBytesMax);
  for (let sent = 0; sent < 20; sent++) {
    const { status } = await stack.post("/verify", { img1: img, img2: img });
    assert.equal(status, 413);
  }
}

async function activeBatcher(stack: TestStack): Promise<string> {
  let active: string | undefined;
  await waitUntil("a batcher is active", async () => {
    for (const name of ["batcher-1", "batcher-2"]) {
      const page = await fetch(`http://127.0.0.1:${stack.operatorsPorts[name]}/metrics`);
      if (/^faceline_batcher_active\S* 1$/m.test(await page.text())) active = name;
    }
    return active !== undefined;
  });
  return active!;
}

export const bodyBytesMax = 1_000_000;

/** What a fault may act on. */
export type Rig = { stack: TestStack; calls: SteadyCalls; body: unknown; collector: OtlpReceiver };

export type Fault = {
  name: string;
  /** Resolves when the cause is gone, or at once where the service itself has to mend it. */
  act(rig: Rig): Promise<void>;
  /** Ends of calls besides 200; none unless it says so. */
  allowed?: string[];
  deadlineMs?: number;
};
