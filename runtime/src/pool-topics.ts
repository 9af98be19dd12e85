import { batchesTopic, deadLetterTopic, poolWorkersMax, tasksTopic } from "@faceline/contracts/wire/names";
import * as z from "zod";

/** Settings of new topics: set-up creates them, and a batcher creates those that were deleted. */
export const TopicsConfig = z.object({
  /**
   * Copies of each topic, and how many of them must have a message before it counts as sent. Unset: the
   * brokers' defaults (`default.replication.factor`, `min.insync.replicas`).
   */
  TOPIC_REPLICATION_FACTOR: z.coerce.number().int().min(1).max(15).optional(),
  TOPIC_MIN_INSYNC_REPLICAS: z.coerce.number().int().min(1).max(15).optional(),
  /** Retention of tasks and batches. */
  TOPIC_RETENTION_MINUTES: z.coerce.number().int().min(3).default(10),
});
export type TopicsConfig = z.infer<typeof TopicsConfig>;

/** Returns the topics that a pool needs, as they should be. */
export function poolTopics(config: TopicsConfig, pool: string): WantedTopic[] {
  const replicationFactor = config.TOPIC_REPLICATION_FACTOR;
  const minInsyncReplicas = config.TOPIC_MIN_INSYNC_REPLICAS;
  const topic = (name: string, numPartitions: number, retentionMs: number): WantedTopic => ({
    topic: name,
    numPartitions,
    ...(replicationFactor === undefined ? {} : { replicationFactor }),
    configEntries: [
      { name: "retention.ms", value: `${retentionMs}` },
      { name: "max.message.bytes", value: `${recordBatchBytesMax}` },
      // Kafka deletes closed segments only: an open one would keep its messages for a week.
      { name: "segment.ms", value: `${Math.round(retentionMs / 2)}` },
      ...(minInsyncReplicas === undefined
        ? []
        : [{ name: "min.insync.replicas", value: `${minInsyncReplicas}` }]),
    ],
  });
  return [
    // One partition: the group assigns all tasks to one batcher, and a second batcher is its hot standby.
    topic(tasksTopic(pool), 1, config.TOPIC_RETENTION_MINUTES * minuteMs),
    topic(batchesTopic(pool), poolWorkersMax, config.TOPIC_RETENTION_MINUTES * minuteMs),
    topic(deadLetterTopic, 1, deadLetterRetentionHours * 60 * minuteMs),
  ];
}

/** Limit of a record batch, despite the name. The services send less: kafka-flush.ts. */
const recordBatchBytesMax = 1024 * 1024;
const minuteMs = 60_000;
/** Dead letters have ids and reasons of messages, without content. */
const deadLetterRetentionHours = 24;

export type WantedTopic = {
  topic: string;
  numPartitions: number;
  replicationFactor?: number;
  configEntries: { name: string; value: string }[];
};
