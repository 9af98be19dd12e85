import { setTimeout as sleep } from "node:timers/promises";
import { type KafkaConfig, openAdmin } from "@faceline/contracts/runtime/kafka";
import {
  batcherGroup,
  batchesTopic,
  deadLetterTopic,
  inferenceGroup,
  tasksTopic,
} from "@faceline/contracts/wire/names";
import { type LauncherConfig, poolWorkersMax } from "./settings.ts";

/**
 * Creates the missing topics of a pool, and waits until its consumer groups can be joined: for a while after
 * its first start, a broker answers "coordinator not available". Throws after `withinMs`.
 */
export async function createTopics(config: KafkaConfig, options: TopicOptions): Promise<void> {
  await retryUntilDone(options, async () => {
    await using admin = await openAdmin(config);
    const existing = new Set(await admin.listTopics());
    const topics = poolTopics(options).filter(({ topic }) => !existing.has(topic));
    // The client's own wait for leaders begins with an error, and costs its back-off.
    if (topics.length > 0) await admin.createTopics({ topics, waitForLeaders: false });
    for (const group of [batcherGroup(options.pool), inferenceGroup(options.pool)]) {
      await admin.fetchOffsets({ groupId: group, topics: [tasksTopic(options.pool)] });
    }
  });
}

/** Deletes the topics of a test's pool. */
export async function deleteTopics(config: KafkaConfig, pool: string): Promise<void> {
  await using admin = await openAdmin(config);
  await admin.deleteTopics({ topics: [tasksTopic(pool), batchesTopic(pool)] });
}

function poolTopics({ pool, retentionMs, deadLetterRetentionMs }: TopicOptions) {
  const topic = (name: string, numPartitions: number, retentionMs: number) => ({
    topic: name,
    numPartitions,
    configEntries: [
      { name: "retention.ms", value: `${retentionMs}` },
      { name: "max.message.bytes", value: `${recordBatchBytesMax}` },
      // Kafka deletes closed segments only: an open one would keep its messages for a week.
      { name: "segment.ms", value: `${Math.round(retentionMs / 2)}` },
    ],
  });
  return [
    // One partition: the group assigns all tasks to one batcher, and a second batcher is its hot standby.
    topic(tasksTopic(pool), 1, retentionMs),
    topic(batchesTopic(pool), poolWorkersMax, retentionMs),
    topic(deadLetterTopic, 1, deadLetterRetentionMs),
  ];
}

async function retryUntilDone({ withinMs, stop }: TopicOptions, work: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      stop.throwIfAborted();
      if (performance.now() > giveUpAt) {
        throw new Error(`KAFKA_BROKERS: no topics could be created there: ${(cause as Error).message}`, {
          cause,
        });
      }
      await sleep(retryEveryMs, undefined, { signal: stop });
    }
  }
}

const retryEveryMs = 100;
/** Of a record batch, despite the name. The services send less: contracts/runtime/kafka-flush.ts. */
const recordBatchBytesMax = 1024 * 1024;
const minuteMs = 60_000;

export const topicOptions = (config: LauncherConfig, pool: string, stop: AbortSignal): TopicOptions => ({
  pool,
  retentionMs: config.TOPIC_RETENTION_MINUTES * minuteMs,
  deadLetterRetentionMs: config.DEAD_LETTER_RETENTION_MINUTES * minuteMs,
  withinMs: config.READY_WITHIN_MS,
  stop,
});

type TopicOptions = {
  pool: string;
  retentionMs: number;
  deadLetterRetentionMs: number;
  withinMs: number;
  stop: AbortSignal;
};
