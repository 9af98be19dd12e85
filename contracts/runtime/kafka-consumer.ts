import { type KafkaConfig, kafkaClient, kafkaRetry } from "./kafka.ts";
import type { Log } from "./log.ts";

/**
 * A fetch waits this long for messages; heartbeats are sent between fetches, so it must not exceed their
 * interval.
 */
const fetchWaitMs = 250;
const heartbeatEveryMs = 250;

/**
 * A member of a consumer group on one topic. `take` gets what was fetched and must only enqueue: heartbeats
 * stop while it runs. `assigned` comes with the partitions that this member holds, after every rebalance, and
 * before `take` sees anything of them; what was read before it and not committed will be read again, here or
 * elsewhere.
 *
 * Nothing is committed but by `commit`. It does not throw: after a rebalance the new holder commits.
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
    // Kafkajs would go on restarting a consumer that was closed meanwhile.
    retry: { ...kafkaRetry, restartOnFailure: async () => !closing },
  });
  const joined = Promise.withResolvers<void>();

  // Before `run`: the event may come first.
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    onAssignment(payload.memberAssignment[topic] ?? []);
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
    // Kafkajs restarts what can be restarted; for the rest a new process is the way on.
    if (!payload.restart) options.onFatalError(payload.error);
  });

  const commit = (partition: number, nextOffset: string): Promise<boolean> =>
    consumer.commitOffsets([{ topic, partition, offset: nextOffset }]).then(
      () => true,
      () => false,
    );

  await consumer.connect();
  // From the beginning, or what is sent between the join and the first fetch would be skipped.
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
  onMessages(partition: number, messages: ReadMessage[], commit: (nextOffset: string) => void): void;
  /** The consumer cannot go on. */
  onFatalError(error: Error): void;
};

export type ReadMessage = { offset: string; value: Buffer | null };

export type Consumer = AsyncDisposable & {
  /** `nextOffset` is the first that has not been dealt with. False: it was not taken, try again. */
  commit(partition: number, nextOffset: string): Promise<boolean>;
};
