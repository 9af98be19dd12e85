import { randomBytes } from "node:crypto";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig } from "@faceline/runtime/kafka";
import { openConsumer } from "@faceline/runtime/kafka-consumer";
import { openLog } from "@faceline/runtime/log";
import { VolatileRedisConfig } from "@faceline/runtime/redis";
import { subscribe } from "@faceline/runtime/redis-subscription";
import {
  answersChannel,
  batchesTopic,
  cancelsChannel,
  poolChannel,
  reportsChannel,
  tasksTopic,
} from "@faceline/contracts/wire/names";
import type { CallTasks } from "@faceline/contracts/wire/task";
import sharp from "sharp";
import type { RecordedRelease } from "./messages.ts";

/**
 * Records the messages of a pool while `send` makes calls to it, of each kind one of each shape: the same
 * fields with values of the same types. `send` runs twice: the first time shows which ingresses there are,
 * whose answers are recorded the second time. The engine must be a modelled one, because answers of real
 * ones have embeddings.
 */
export async function recordMessages(
  environment: NodeJS.ProcessEnv,
  pool: string,
  send: () => Promise<void>,
): Promise<RecordedRelease["messages"]> {
  const shapes = new Map<string, { name: keyof RecordedRelease["messages"]; message: unknown }>();
  const keep = (name: keyof RecordedRelease["messages"]) => (bytes: Buffer | null) => {
    const message: unknown = JSON.parse(bytes!.toString());
    const shape = `${name} ${shapeOf(message)}`;
    if (!shapes.has(shape)) shapes.set(shape, { name, message });
    return message;
  };
  const redis = readConfig(VolatileRedisConfig, environment);
  const kafka = readConfig(KafkaConfig, environment);
  await using opened = new AsyncDisposableStack();
  const ingresses = new Set<string>();
  const readTopic = async (topic: string, read: (bytes: Buffer | null) => void) => {
    const assigned = Promise.withResolvers<void>();
    const consumer = await openConsumer(kafka, {
      topic,
      group: `record-${randomBytes(6).toString("hex")}`,
      clientId: "record",
      log: openLog("record", "warn"),
      onAssignment: () => assigned.resolve(),
      onMessages: (_partition, messages) => messages.forEach(({ value }) => read(value)),
      onFatalError: assigned.reject,
    });
    opened.use(consumer);
    await assigned.promise;
  };
  const readChannels = async (channels: string[], read: (bytes: Buffer) => void) =>
    void opened.use(await subscribe(redis, channels, read));

  await readTopic(tasksTopic(pool), (bytes) => {
    ingresses.add((keep("CallTasks")(bytes) as CallTasks).ingress);
  });
  await readTopic(batchesTopic(pool), keep("Batch"));
  await readChannels([reportsChannel(pool)], keep("Report"));
  await readChannels([poolChannel(pool)], keep("PoolState"));
  await readChannels([cancelsChannel(pool)], keep("Cancel"));
  await send();
  await readChannels([...ingresses].map(answersChannel), keep("Answers"));
  await send();

  const recorded = [...shapes.values()];
  return Object.fromEntries(
    [...Map.groupBy(recorded, ({ name }) => name)].map(([name, all]) => [
      name,
      all.map(({ message }) => message),
    ]),
  );
}

/** Returns the fields of a JSON value with the types of their values; of a list, the shapes of its items. */
export function shapeOf(value: unknown): string {
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].toSorted().join("|")}]`;
  // Of kinds and reasons, the value is what tells them apart.
  const fields = Object.entries(value).map(([name, each]) =>
    typeof each === "string" && /^(kind|reason|end|code|serviceClass)$/.test(name)
      ? `${name}=${each}`
      : `${name}:${shapeOf(each)}`,
  );
  return `{${fields.toSorted().join(",")}}`;
}

/** Makes calls that end in each of the usual ways: with faces, refused by a worker, too late, cancelled. */
export async function makeUsualCalls(address: string, key: string): Promise<void> {
  const picture = await sharp({ create: { width: 160, height: 160, channels: 3, background: "#7c8a91" } })
    .jpeg()
    .toBuffer();
  const send = async (img: Buffer, init: { timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const reply = await fetch(`${address}/represent`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": key,
        ...(init.timeoutMs === undefined ? {} : { "x-request-timeout-ms": `${init.timeoutMs}` }),
      },
      body: JSON.stringify({ img: img.toString("base64"), enforce_detection: false }),
      ...(init.signal === undefined ? {} : { signal: init.signal }),
    });
    await reply.arrayBuffer();
  };
  const usual = Array.from({ length: 12 }, () => send(picture));
  const truncated = send(picture.subarray(0, Math.floor(picture.length / 2)));
  const late = send(picture, { timeoutMs: 60 });
  // While the first batch runs, the others wait: this one is cancelled there.
  const cancelled = send(picture, { signal: AbortSignal.timeout(40) }).catch(() => {});
  await Promise.all([...usual, truncated, late, cancelled]);
}
