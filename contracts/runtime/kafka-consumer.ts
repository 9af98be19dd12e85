import { connectKafka, type KafkaConfig, kafkaClient, kafkaRetry } from "./kafka.ts";
import type { Log } from "./log.ts";

/**
 * A fetch waits this long for messages; heartbeats are sent between fetches, so it must not exceed their
 * interval.
 */
const fetchWaitMs = 250;
const heartbeatEveryMs = 250;

/**
 * Joins a consumer group on one topic. `onMessages` receives fetched messages and must only enqueue them,
 * because heartbeats stop while it runs. `onAssignment` receives the partitions of this member after every
 * rebalance, before `onMessages` receives messages of them; messages that were read earlier and not committed
 * are read again, by this member or by another.
 *
 * Only `commit` commits offsets. It does not throw: after a rebalance the new member commits. Throws when the
 * group cannot be joined.
 */
export async function openConsumer(config: KafkaConfig, options: ConsumerOptions): Promise<Consumer> {
  const { topic, group, clientId, onAssignment, onMessages } = options;
  let closing = false;
  const consumer = kafkaClient(config, clientId).consumer({
    groupId: group,
    sessionTimeout: config.KAFKA_SESSION_MS,
    rebalanceTimeout: config.KAFKA_SESSION_MS * 2,
    heartbeatInterval: heartbeatEveryMs,
    minBytes: 1,
    maxWaitTimeInMs: fetchWaitMs,
    allowAutoTopicCreation: false,
    // Otherwise kafkajs restarts a consumer that was closed in the meantime.
    retry: { ...kafkaRetry, restartOnFailure: async () => !closing },
  });
  const joined = Promise.withResolvers<void>();

  let requestSentAt = 0;
  const renewSession = () => options.onSession?.(requestSentAt + config.KAFKA_SESSION_MS - performance.now());
  consumer.on(consumer.events.REQUEST, ({ payload: { apiName, duration } }) => {
    if (apiName === "Heartbeat" || apiName === "SyncGroup") requestSentAt = performance.now() - duration;
    // From the end of a join until the answer to SyncGroup, the partitions may already be another member's.
    if (apiName === "JoinGroup") options.onSession?.(0);
  });
  consumer.on(consumer.events.HEARTBEAT, renewSession);
  // Registered before `run`, which may emit the event before it returns.
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    onAssignment(payload.memberAssignment[topic] ?? []);
    renewSession();
    joined.resolve();
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    onAssignment([]);
    joined.reject(payload.error);
    if (closing) return;
    options.log.warn(
      { topic, reason: payload.error.message, restart: payload.restart },
      "a consumer fell over",
    );
    // Kafkajs restarts the consumer after retriable errors; after others the process must be replaced.
    if (!payload.restart) options.onFatalError(payload.error);
  });

  const commit = (partition: number, nextOffset: string): Promise<boolean> =>
    consumer.commitOffsets([{ topic, partition, offset: nextOffset }]).then(
      () => true,
      () => false,
    );

  await connectKafka(consumer);
  // Otherwise messages that are sent between the join and the first fetch are skipped.
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      onMessages(
        batch.partition,
        batch.messages.map(({ offset, value }) => ({ offset, value })),
        (nextOffset) => void commit(batch.partition, nextOffset),
      );
    },
  });
  await joined.promise;

  return {
    commit,
    async [Symbol.asyncDispose]() {
      closing = true;
      await consumer.disconnect();
    },
  };
}

export type ConsumerOptions = {
  topic: string;
  group: string;
  clientId: string;
  log: Log;
  onAssignment(partitions: number[]): void;
  /**
   * Called when the session was renewed: for this many ms no other member is given the partitions of this
   * one, whatever happens to its connection. It counts from the instant at which the heartbeat was sent, and
   * Kafka from the later one at which it arrived. 0 or less: another member may have them already.
   */
  onSession?(validForMs: number): void;
  onMessages(partition: number, messages: ReadMessage[], commit: (nextOffset: string) => void): void;
  /** The consumer crashed with an error that is not retriable. */
  onFatalError(error: Error): void;
};

export type ReadMessage = { offset: string; value: Buffer | null };

export type Consumer = AsyncDisposable & {
  /** `nextOffset`: the first offset that was not processed. Resolves to false when the commit failed. */
  commit(partition: number, nextOffset: string): Promise<boolean>;
};
