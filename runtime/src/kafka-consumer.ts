import { runningTime } from "./core-waits.ts";
import { causes, type KafkaConfig, kafkaClient, kafkaRetry, startError } from "./kafka.ts";
import type { Log } from "./log.ts";

/**
 * A fetch waits this long for messages; heartbeats are sent between fetches, so it must not exceed their
 * interval.
 */
const fetchWaitMs = 250;
const heartbeatEveryMs = 250;
const checkEveryMs = 250;
/** The pause before a group is joined again where kafkajs itself has given up. */
const rejoinAfterMs = 250;
/** How long the first join is tried again after errors that kafkajs calls retriable. */
const firstJoinMs = 5_000;

/**
 * Errors after which kafkajs gives a consumer up although nothing but the connection is at fault: no broker
 * named the group's coordinator in time, or the connection to a broker took too long.
 */
const connectionErrors = new Set(["KafkaJSGroupCoordinatorNotFound", "KafkaJSLockTimeout"]);

/**
 * Joins a consumer group on one topic. `onMessages` receives fetched messages and must only enqueue them,
 * because heartbeats stop while it runs. `onAssignment` receives the partitions of this member after every
 * rebalance, before `onMessages` receives messages of them; messages that were read earlier and not committed
 * are read again, by this member or by another.
 *
 * A consumer notices a connection that no longer responds: fetches and heartbeats are answered all the time.
 * Connections on which a request was not answered in time are closed and opened anew, and the group is joined
 * again.
 *
 * Only `commit` commits offsets. It does not throw: after a rebalance the new member commits. Throws one
 * sentence when the group cannot be joined.
 */
export async function openConsumer(config: KafkaConfig, options: ConsumerOptions): Promise<Consumer> {
  const { topic, group, clientId, log, onAssignment, onMessages, onResponsiveChange } = options;
  let closing = false;
  let fell = false;
  const { kafka, sockets } = kafkaClient(config, clientId);
  const consumer = kafka.consumer({
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
  sockets.closeOnTimeout(consumer);
  const joined = Promise.withResolvers<void>();
  const openedAt = performance.now();
  const responses = { lastAt: runningTime(), isResponsive: true };
  let requestSentAt = 0;
  const renewSession = () => options.onSession?.(requestSentAt + config.KAFKA_SESSION_MS - performance.now());

  const commit = (partition: number, nextOffset: string): Promise<boolean> =>
    consumer.commitOffsets([{ topic, partition, offset: nextOffset }]).then(
      () => true,
      () => false,
    );

  const run = () =>
    consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        options.onEnd?.(batch.partition, batch.highWatermark);
        onMessages(
          batch.partition,
          batch.messages.map(({ offset, value }) => ({ offset, value })),
          (nextOffset) => void commit(batch.partition, nextOffset),
        );
      },
    });

  // Registered before `run`, which may emit events before it returns.
  consumer.on(consumer.events.REQUEST, ({ payload: { apiName, duration } }) => {
    responses.lastAt = runningTime();
    if (apiName === "Heartbeat" || apiName === "SyncGroup") requestSentAt = performance.now() - duration;
    // From the end of a join until the answer to SyncGroup, the partitions may already be another member's.
    if (apiName === "JoinGroup") options.onSession?.(0);
  });
  consumer.on(consumer.events.HEARTBEAT, renewSession);
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    if (fell) log.info({ topic }, "the consumer has joined its group again");
    fell = false;
    onAssignment(payload.memberAssignment[topic] ?? []);
    renewSession();
    joined.resolve();
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    onAssignment([]);
    const isConnection = causes(payload.error).some(({ name }) => connectionErrors.has(name));
    const restart = payload.restart || isConnection;
    // A broker that has just started is still loading its groups.
    if (!payload.restart || performance.now() - openedAt > firstJoinMs) joined.reject(payload.error);
    if (closing) return;
    // It may fall over every second until it has joined again: once is enough.
    if (!fell) log.warn({ topic, reason: payload.error.message, restart }, "a consumer fell over");
    fell = true;
    // Kafkajs restarts the consumer after retriable errors; after others the process must be replaced.
    if (payload.restart) return;
    if (!isConnection) return options.onFatalError(payload.error);
    setTimeout(() => {
      if (!closing) run().catch(options.onFatalError);
    }, rejoinAfterMs);
  });

  const checkResponses = () => {
    const isResponsive = runningTime() - responses.lastAt < fetchWaitMs + config.KAFKA_REQUEST_MS;
    if (closing || isResponsive === responses.isResponsive) return;
    responses.isResponsive = isResponsive;
    onResponsiveChange?.(isResponsive);
  };
  // If this process was blocked, what the brokers answered is read before the immediate runs.
  const checkTimer = setInterval(() => setImmediate(checkResponses), checkEveryMs);

  const close = async (): Promise<void> => {
    closing = true;
    clearInterval(checkTimer);
    await consumer.disconnect().finally(() => sockets.abandon());
  };

  const start = async (): Promise<void> => {
    await consumer.connect();
    // Otherwise messages that are sent between the join and the first fetch are skipped.
    await consumer.subscribe({ topic, fromBeginning: true });
    await run();
  };
  try {
    // Together: the join may fail before `run` returns.
    await Promise.all([joined.promise, start()]);
  } catch (cause) {
    await close();
    throw startError(cause);
  }
  return { commit, [Symbol.asyncDispose]: close };
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
  /** Called before `onMessages` with the end of the partition: the offset of the next message. */
  onEnd?(partition: number, offset: string): void;
  onMessages(partition: number, messages: ReadMessage[], commit: (nextOffset: string) => void): void;
  /**
   * The brokers have stopped answering this consumer (false) within 1.5 s, or answer again (true). Its
   * partitions are unchanged until `onAssignment` is called.
   */
  onResponsiveChange?(isResponsive: boolean): void;
  /** The consumer crashed with an error that is not retriable. */
  onFatalError(error: Error): void;
};

export type ReadMessage = { offset: string; value: Buffer | null };

export type Consumer = AsyncDisposable & {
  /** `nextOffset`: the first offset that was not processed. Resolves to false when the commit failed. */
  commit(partition: number, nextOffset: string): Promise<boolean>;
};
