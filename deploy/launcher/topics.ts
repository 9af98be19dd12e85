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
 * Makes the topics of a pool that are not there yet, and waits until its groups can be joined: right after its first
 * start a broker answers "coordinator not available" for a while.
 */
export async function createTopics(config: KafkaConfig, options: TopicOptions): Promise<void> {
  const wanted = poolTopics(options);
  await untilDone(options, async () => {
    await using admin = await openAdmin(config);
    const there = new Set(await admin.listTopics());
    const topics = wanted.filter(({ topic }) => !there.has(topic));
    // Without waiting for leaders: the client's own wait begins with an error, and costs its back-off.
    if (topics.length > 0) await admin.createTopics({ topics, waitForLeaders: false });
    for (const group of [batcherGroup(options.pool), inferenceGroup(options.pool)]) {
      await admin.fetchOffsets({ groupId: group, topics: [tasksTopic(options.pool)] });
    }
  });
}

/** What a pool of a test leaves behind. */
export async function deleteTopics(config: KafkaConfig, pool: string): Promise<void> {
  await using admin = await openAdmin(config);
  await admin.deleteTopics({ topics: [tasksTopic(pool), batchesTopic(pool)] });
}

function poolTopics({ pool, retentionMs, deadRetentionMs }: TopicOptions) {
  const topic = (name: string, numPartitions: number, keptMs: number) => ({
    topic: name,
    numPartitions,
    configEntries: [
      { name: "retention.ms", value: `${keptMs}` },
      // Kafka drops closed segments only: an open one would keep its messages for a week.
      { name: "segment.ms", value: `${Math.round(keptMs / 2)}` },
    ],
  });
  return [
    // One partition: Kafka's group gives exactly one batcher all tasks, and a second one is its hot standby.
    topic(tasksTopic(pool), 1, retentionMs),
    topic(batchesTopic(pool), poolWorkersMax, retentionMs),
    topic(deadLetterTopic, 1, deadRetentionMs),
  ];
}

async function untilDone({ withinMs, stop }: TopicOptions, work: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      stop.throwIfAborted();
      if (performance.now() > giveUpAt) {
        throw new Error(`KAFKA_BROKERS: no topics could be made there: ${(cause as Error).message}`, {
          cause,
        });
      }
      await sleep(retryEveryMs, undefined, { signal: stop });
    }
  }
}

const retryEveryMs = 100;
const minuteMs = 60_000;

export const topicOptions = (config: LauncherConfig, pool: string, stop: AbortSignal): TopicOptions => ({
  pool,
  retentionMs: config.TOPIC_RETENTION_MINUTES * minuteMs,
  deadRetentionMs: config.DEAD_LETTER_RETENTION_MINUTES * minuteMs,
  withinMs: config.READY_WITHIN_MS,
  stop,
});

export type TopicOptions = {
  pool: string;
  retentionMs: number;
  deadRetentionMs: number;
  withinMs: number;
  stop: AbortSignal;
};
