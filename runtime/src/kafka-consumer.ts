import type { Consumer as KafkaJsConsumer } from "kafkajs";
import { causes, type KafkaConfig, kafkaClient, kafkaRetry, startError } from "./kafka.ts";
import type { KafkaSockets } from "./kafka-sockets.ts";
import type { Log } from "./log.ts";
import { heartbeatEveryMs } from "./kafkajs-fetch-patch.ts";
import { HangTimeout } from "./starvation.ts";

/** A fetch waits this long for messages. The rest of KAFKA_REQUEST_MS is for a broker that pauses. */
const fetchWaitMs = 500;
/** The pause before a group is joined again where kafkajs itself has given up. */
const rejoinAfterMs = 250;
/** How long the first join is tried again after errors that kafkajs calls retriable. */
const firstJoinMs = 5_000;

/**
 * Errors after which kafkajs gives a consumer up although only the connection is at fault: no broker named
 * the group's coordinator in time, or connecting to a broker took too long.
 */
const connectionErrors = new Set(["KafkaJSGroupCoordinatorNotFound", "KafkaJSLockTimeout"]);

/**
 * A member of a consumer group that reads one topic. It notices a connection that no longer responds:
 * heartbeats are answered all the time. Connections on which a request was not answered in time are closed
 * and reopened, and the group is joined again.
 *
 *     open ──kafkajs gives up──► crashed ──joined again──► open        either ──disposed──► closed
 */
class GroupMember implements Consumer {
  readonly #config: KafkaConfig;
  readonly #options: ConsumerOptions;
  readonly #consumer: KafkaJsConsumer;
  readonly #sockets: KafkaSockets;
  readonly #joined = Promise.withResolvers<void>();
  readonly #openedAt = performance.now();
  #phase: "open" | "crashed" | "closed" = "open";
  #silence: HangTimeout;
  #isResponsive = true;
  /** Whether the members were requested since the last join. Every change of members ends with a join. */
  #membersAsked = true;
  /** Instant at which the last request that renewed the session was sent. */
  #renewalSentAt = 0;

  private constructor(config: KafkaConfig, options: ConsumerOptions) {
    this.#config = config;
    this.#options = options;
    const { kafka, sockets } = kafkaClient(config, options.clientId);
    this.#sockets = sockets;
    this.#consumer = kafka.consumer({
      groupId: options.group,
      sessionTimeout: config.KAFKA_SESSION_MS,
      rebalanceTimeout: config.KAFKA_SESSION_MS * 2,
      heartbeatInterval: heartbeatEveryMs,
      minBytes: 1,
      maxWaitTimeInMs: fetchWaitMs,
      allowAutoTopicCreation: false,
      // Otherwise kafkajs restarts a consumer that was closed in the meantime.
      retry: { ...kafkaRetry, restartOnFailure: async () => this.#phase !== "closed" },
    });
    sockets.closeOnTimeout(this.#consumer);
    this.#silence = this.#watchSilence();
  }

  static async open(config: KafkaConfig, options: ConsumerOptions): Promise<GroupMember> {
    const member = new GroupMember(config, options);
    try {
      // Together: the join may fail before `run` returns.
      await Promise.all([member.#joined.promise, member.#start()]);
    } catch (cause) {
      await member[Symbol.asyncDispose]();
      throw startError(cause);
    }
    return member;
  }

  commit(partition: number, nextOffset: string): Promise<boolean> {
    const { topic, group, observer } = this.#options;
    const sentAt = performance.now();
    const observe = (error?: unknown) => observer?.committed(topic, group, performance.now() - sentAt, error);
    return this.#consumer.commitOffsets([{ topic, partition, offset: nextOffset }]).then(
      () => {
        observe();
        return true;
      },
      (error: unknown) => {
        observe(error);
        return false;
      },
    );
  }

  async #start(): Promise<void> {
    const consumer = this.#consumer;
    consumer.on(consumer.events.REQUEST, ({ payload }) => this.#onResponse(payload));
    consumer.on(consumer.events.HEARTBEAT, () => this.#renewSession());
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => this.#onJoin(payload.memberAssignment));
    consumer.on(consumer.events.CRASH, ({ payload }) => this.#onCrash(payload));
    await consumer.connect();
    // Otherwise messages that are sent between the join and the first fetch are skipped.
    await consumer.subscribe({ topic: this.#options.topic, fromBeginning: true });
    await this.#run();
  }

  #run(): Promise<void> {
    const { topic, group, onEnd, onMessages, observer } = this.#options;
    return this.#consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch: { partition, highWatermark, messages } }) => {
        onEnd?.(partition, highWatermark);
        observer?.delivered(topic, group, messages.length);
        onMessages(
          partition,
          messages.map(({ offset, value }) => ({ offset, value })),
          (nextOffset) => void this.commit(partition, nextOffset),
        );
      },
    });
  }

  #onResponse({ apiName, duration }: { apiName: string; duration: number }): void {
    this.#silence[Symbol.dispose]();
    this.#silence = this.#watchSilence();
    this.#setResponsive(true);
    void this.#askMembers();
    if (apiName === "Heartbeat" || apiName === "SyncGroup")
      this.#renewalSentAt = performance.now() - duration;
    // From the end of a join until the answer to SyncGroup, the partitions may already be another member's.
    if (apiName === "JoinGroup") this.#options.onSession?.(0);
  }

  #renewSession(): void {
    this.#options.onSession?.(this.#renewalSentAt + this.#config.KAFKA_SESSION_MS - performance.now());
  }

  #onJoin(assignment: Record<string, number[]>): void {
    const { topic, log, onAssignment } = this.#options;
    if (this.#phase === "crashed") {
      log.info({ reason: topic }, "the consumer has joined its group again");
      this.#phase = "open";
    }
    onAssignment(assignment[topic] ?? []);
    this.#membersAsked = false;
    this.#renewSession();
    this.#joined.resolve();
  }

  #onCrash({ error, restart: isRestarted }: { error: Error; restart: boolean }): void {
    const { topic, log, onAssignment, onFatalError } = this.#options;
    onAssignment([]);
    const isConnection = causes(error).some(({ name }) => connectionErrors.has(name));
    // A broker that has just started is still loading its groups.
    if (!isRestarted || performance.now() - this.#openedAt > firstJoinMs) this.#joined.reject(error);
    if (this.#phase === "closed") return;
    // It may crash every second until it has joined again: one line is enough.
    if (this.#phase === "open") {
      log.warn(
        { topic, reason: error.message, restart: isRestarted || isConnection },
        "the consumer crashed",
      );
    }
    this.#phase = "crashed";
    // Kafkajs restarts the consumer after retriable errors; after others the process must be replaced.
    if (isRestarted) return;
    if (!isConnection) return onFatalError(error);
    setTimeout(() => {
      if (this.#phase !== "closed") this.#run().catch(onFatalError);
    }, rejoinAfterMs);
  }

  /** Does nothing once it was answered after the last join. */
  async #askMembers(): Promise<void> {
    const { onMembers } = this.#options;
    if (onMembers === undefined || this.#membersAsked || this.#phase !== "open") return;
    this.#membersAsked = true;
    try {
      const { members } = await this.#consumer.describeGroup();
      // A join since then asks again.
      if (this.#membersAsked) onMembers(members.length);
    } catch {
      this.#membersAsked = false;
    }
  }

  #watchSilence(): HangTimeout {
    const silenceMs = heartbeatEveryMs + this.#config.KAFKA_REQUEST_MS;
    return new HangTimeout(silenceMs, () => this.#setResponsive(false));
  }

  #setResponsive(isResponsive: boolean): void {
    if (this.#phase === "closed" || isResponsive === this.#isResponsive) return;
    this.#isResponsive = isResponsive;
    this.#options.onResponsiveChange?.(isResponsive);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#phase = "closed";
    await this.#consumer.disconnect().finally(() => this.#sockets.abandon());
    this.#silence[Symbol.dispose]();
  }
}

/**
 * Joins a consumer group on one topic. `onMessages` receives fetched messages and must only enqueue them,
 * because heartbeats stop while it runs. `onAssignment` receives the partitions of this member after every
 * rebalance, before `onMessages` receives messages of them; messages that were read earlier and not committed
 * are read again, by this member or by another.
 *
 * Only `commit` commits offsets. It does not throw: after a rebalance the new member commits. Throws one
 * sentence when the group cannot be joined.
 */
export const openConsumer = (config: KafkaConfig, options: ConsumerOptions): Promise<Consumer> =>
  GroupMember.open(config, options);

export type ConsumerOptions = {
  topic: string;
  group: string;
  clientId: string;
  log: Log;
  /** Is notified of incoming messages, and of every commit that has ended. */
  observer?: ConsumerObserver | undefined;
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
  /** Called after every join with the number of members of the group, this one included. */
  onMembers?(members: number): void;
  /** The consumer crashed with an error that is not retriable. */
  onFatalError(error: Error): void;
};

export type ConsumerObserver = {
  delivered(this: void, topic: string, group: string, messages: number): void;
  committed(this: void, topic: string, group: string, durationMs: number, error?: unknown): void;
};

export type ReadMessage = { offset: string; value: Buffer | null };

export type Consumer = AsyncDisposable & {
  /** `nextOffset`: the first offset that was not processed. Resolves to false when the commit failed. */
  commit(partition: number, nextOffset: string): Promise<boolean>;
};
