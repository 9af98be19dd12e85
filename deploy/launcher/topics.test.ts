import assert from "node:assert/strict";
import test from "node:test";
import type { WantedTopic } from "@faceline/runtime/pool-topics";
import { type FoundTopic, topicDifferences } from "./topics.ts";

const wanted: WantedTopic = {
  topic: "faceline.batches.p",
  numPartitions: 16,
  replicationFactor: 3,
  configEntries: [{ name: "retention.ms", value: "600000" }],
};
const found: FoundTopic = { partitions: 16, replicas: 3, settings: { "retention.ms": "600000" } };
const brokers = { addresses: "kafka:9092", dataFolder: undefined };

test("a topic with the wanted settings is not reported", () => {
  assert.deepEqual(topicDifferences(wanted, found, brokers), []);
});

test("each difference is one sentence with the command that corrects it", () => {
  const sentences = topicDifferences(
    wanted,
    { partitions: 8, replicas: 1, settings: { "retention.ms": "60000" } },
    brokers,
  );
  assert.deepEqual(sentences, [
    "topic faceline.batches.p has partitions=8 instead of 16: correct it with " +
      "`kafka-topics.sh --bootstrap-server kafka:9092 --alter --topic faceline.batches.p --partitions 16`",
    "topic faceline.batches.p has replicas=1 instead of 3 (TOPIC_REPLICATION_FACTOR): correct it with " +
      "`kafka-topics.sh --bootstrap-server kafka:9092 --delete --topic faceline.batches.p` " +
      "while Faceline is stopped, and start it again",
    "topic faceline.batches.p has retention.ms=60000 instead of 600000: correct it with " +
      "`kafka-configs.sh --bootstrap-server kafka:9092 --alter --entity-type topics " +
      "--entity-name faceline.batches.p --add-config retention.ms=600000`",
  ]);
});

test("Kafka removes no partition, so the topic must be created again", () => {
  const [sentence] = topicDifferences(wanted, { ...found, partitions: 17 }, brokers);
  assert.match(sentence!, /partitions=17 instead of 16: correct it with `kafka-topics\.sh .* --delete/);
});

test("the launcher's own broker comes without scripts, and its data may go", () => {
  const local = { addresses: "127.0.0.1:9092", dataFolder: ".faceline/kafka/data" };
  const [sentence] = topicDifferences(wanted, { ...found, settings: { "retention.ms": "1" } }, local);
  assert.match(sentence!, /instead of 600000: stop Faceline and `rm -r \.faceline\/kafka\/data`$/);
});
