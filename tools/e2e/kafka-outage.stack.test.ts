import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Problem } from "@faceline/contracts/http/problem";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig, openAdmin } from "@faceline/runtime/kafka";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/runtime/redis";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { batcherGroup, imageKey, tasksTopic } from "@faceline/contracts/wire/names";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { hasStopped, pidOfServer } from "./stack/server-process.ts";
import { startStack } from "./stack/stack.ts";

const callsInFlight = 20;
/** A line of calls that are alike has 20 ids at most. */
const callsMeanwhile = 10;

test("while the broker hangs, one call at most waits for it; afterwards no call or task is lost", async (t) => {
  await using redis = await connectVolatileRedis(readConfig(VolatileRedisConfig, process.env));
  const images = () => redis.keys(imageKey("*" as TaskId));
  // Of ingresses that other tests have killed: until they expire.
  const before = new Set(await images());
  const running = await startStack(t);
  const [portrait] = await portraits();
  const body = { img: portrait!.toString("base64") };
  const post = (headers?: Record<string, string>) => running.postOnce("/represent", body, headers);
  assert.equal((await running.post("/represent", body)).status, 200);

  const inFlight = Array.from({ length: callsInFlight }, () => post());
  await inFlight[0];
  const broker = pidOfServer("kafka")!;
  process.kill(broker, "SIGSTOP");
  // Also when the test fails: stopping the stack needs the broker, and happens after this.
  using _continueBroker = { [Symbol.dispose]: () => void process.kill(broker, "SIGCONT") };
  await waitUntil("the broker has stopped", () => hasStopped(broker));

  let refusals = 0;
  for (let i = 0; i < callsMeanwhile; i++) {
    await waitUntil("a call is refused for Kafka", async () => {
      const refused = await post({ "x-request-id": `away-${i}` });
      refusals++;
      assert.equal(refused.status, 503);
      assert.notEqual(refused.headers.get("retry-after"), null);
      // Others are refused for the load of the machine.
      return Problem.parse(refused.body).dependency === "kafka";
    });
  }
  const reasons = () =>
    readFileSync(join(running.logs, "ingress-1.log"), "utf8").split("\n").flatMap(reasonsOf);
  await waitUntil("all of them are logged", () => reasons().length === refusals);
  // For the others the ingress knew, or the pool's state said so. That may come first.
  const waited = reasons().filter((reason) => /Kafka (did not answer in time|took longer)/.test(reason));
  assert.ok(waited.length <= 1, waited.join("; "));

  process.kill(broker, "SIGCONT");
  await waitUntil("calls are served again", async () => (await post()).status === 200);
  // Every call has an answer: 200 for those that had been batched, 503 for the others.
  for (const { status } of await Promise.all(inFlight)) assert.ok([200, 503].includes(status), `${status}`);

  await using admin = await openAdmin(readConfig(KafkaConfig, process.env));
  const topic = tasksTopic(running.pool);
  await waitUntil("all tasks are committed", async () => {
    const [partition] = await admin.fetchTopicOffsets(topic);
    const [group] = await admin.fetchOffsets({ groupId: batcherGroup(running.pool), topics: [topic] });
    return partition!.high === group!.partitions[0]!.offset;
  });
  // The response does not wait for the deletion of the call's images.
  await waitUntil("no image is left", async () => (await images()).every((key) => before.has(key)));
});

/** The reason in `line`, once for each refused call that it counts: lines that are alike come together. */
function reasonsOf(line: string): string[] {
  if (!line.includes('"away-')) return [];
  const { reason, request_id, request_ids = [request_id!] } = JSON.parse(line) as RefusalLine;
  return request_ids.filter((id) => id.startsWith("away-")).map(() => reason);
}

type RefusalLine = { reason: string; request_id?: string; request_ids?: string[] };
