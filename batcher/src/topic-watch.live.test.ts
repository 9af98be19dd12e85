import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test, { type TestContext } from "node:test";
import { batchesTopic, tasksTopic } from "@faceline/contracts/wire/names";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig, openAdmin } from "@faceline/runtime/kafka";
import { poolTopics, TopicsConfig } from "@faceline/runtime/pool-topics";
import { TopicWatch } from "./topic-watch.ts";

const kafka = readConfig(KafkaConfig, process.env);
const denied = Object.assign(new Error("Cluster authorization failed"), { name: "KafkaJSProtocolError" });

test("a deleted topic is made again with its partitions and settings, and logged once", async (t) => {
  const { admin, watch, lines, tasks, batches } = await openPool(t);
  await admin.deleteTopics({ topics: [batches] });
  // The broker may list it a moment longer.
  while (lines.length < 2 || watch.missing.length > 0) await watch.check();
  // Those of the pool were missing at the start, one later.
  assert.deepEqual(lines, [
    ["missing topics were recreated, without their messages", [tasks, batches]],
    ["missing topics were recreated, without their messages", [batches]],
  ]);
  const { topics } = await admin.fetchTopicMetadata({ topics: [batches] });
  assert.equal(topics[0]!.partitions.length, 16);
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: 2, name: batches, configNames: ["retention.ms"] }],
  });
  assert.equal(resources[0]!.configEntries[0]!.configValue, "180000");
});

test("a batcher that may not create topics names the missing ones, and says why once", async (t) => {
  const { admin, watch, lines, tasks, mayCreate } = await openPool(t);
  lines.length = 0;
  mayCreate(false);
  await admin.deleteTopics({ topics: [tasks] });
  while (watch.missing.length === 0) await watch.check();
  await watch.check();
  assert.deepEqual(watch.missing, [tasks]);
  assert.deepEqual(lines, [["missing topics could not be recreated: run set-up", [tasks]]]);
});

async function openPool(t: TestContext) {
  const pool = `test-${randomBytes(6).toString("hex")}`;
  const [tasks, batches] = [tasksTopic(pool), batchesTopic(pool)];
  const admin = await openAdmin(kafka);
  const lines: [string, string[]][] = [];
  const write = ({ topics }: { topics: string[] }, text: string) => lines.push([text, topics]);
  let createTopics = admin.createTopics;
  const watch = await TopicWatch.open({
    topics: poolTopics(TopicsConfig.parse({ TOPIC_RETENTION_MINUTES: 3 }), pool),
    openAdmin: async () => ({
      createTopics: (options) => createTopics(options),
      fetchTopicMetadata: admin.fetchTopicMetadata,
      disconnect: async () => undefined,
    }),
    log: { warn: write, error: write } as unknown as Parameters<typeof TopicWatch.open>[0]["log"],
  });
  t.after(async () => {
    await using _admin = admin;
    await watch[Symbol.asyncDispose]();
    const left = (await admin.listTopics()).filter((topic) => topic === tasks || topic === batches);
    await admin.deleteTopics({ topics: left });
  });
  while (watch.missing.length > 0) await watch.check();
  const mayCreate = (may: boolean) => {
    createTopics = may ? admin.createTopics : () => Promise.reject(denied);
  };
  return { admin, watch, lines, tasks, batches, mayCreate };
}
