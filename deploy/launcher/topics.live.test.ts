import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig, openAdmin } from "@faceline/runtime/kafka";
import { batchesTopic, tasksTopic } from "@faceline/contracts/wire/names";
import { LauncherConfig } from "./settings.ts";
import { createTopics, deleteTopics, topicOptions } from "./topics.ts";

test("topics that exist with other settings are left as they are, and each difference is reported", async (t) => {
  const kafka = readConfig(KafkaConfig, process.env);
  const launch = readConfig(LauncherConfig, { ...process.env, TOPIC_REPLICATION_FACTOR: "1" });
  const pool = `test-${randomBytes(6).toString("hex")}`;
  t.after(() => deleteTopics(kafka, pool));
  await using admin = await openAdmin(kafka);
  const other = [{ name: "retention.ms", value: "60000" }];
  await admin.createTopics({ topics: [{ topic: tasksTopic(pool), numPartitions: 2, configEntries: other }] });

  const options = topicOptions(launch, pool, new AbortController().signal);
  const sentences = (await createTopics(kafka, options)).filter((each) => each.includes(pool));
  assert.deepEqual(
    sentences.map((each) => each.slice(`topic ${tasksTopic(pool)} has `.length).split(":")[0]),
    [
      "partitions=2 instead of 1",
      "retention.ms=60000 instead of 600000",
      // The broker's defaults, as far as these are not the same.
      "max.message.bytes=1048588 instead of 1048576",
      "segment.ms=604800000 instead of 300000",
    ],
  );
  const { topics } = await admin.fetchTopicMetadata({ topics: [tasksTopic(pool), batchesTopic(pool)] });
  const partitions = Object.fromEntries(topics.map((each) => [each.name, each.partitions.length]));
  assert.deepEqual(partitions, { [tasksTopic(pool)]: 2, [batchesTopic(pool)]: 16 });
  const again = (await createTopics(kafka, options)).filter((each) => each.includes(batchesTopic(pool)));
  assert.deepEqual(again, []);
});
