import { setTimeout as sleep } from "node:timers/promises";
import { Partitioners, type Producer, type TopicMessages } from "kafkajs";
import { bestEffort } from "./best-effort.ts";
import { causes, type KafkaConfig, kafkaClient, kafkaRetry, startError } from "./kafka.ts";
import type { KafkaSockets } from "./kafka-sockets.ts";
import { ReplyTimeout } from "./reply-timeout.ts";
import { reportSilence } from "./connection-silence.ts";
import { Starved, type TimeSpent, wasStarved } from "./starvation.ts";

/** Interval of probes. A connection over which a send was acknowledged within half of it gets none. */
const probeEveryMs = 1_000;
/** The pause after an attempt to connect that failed. */
const connectEveryMs = 250;

/**
 * The connections of a producer, which it probes: a broker has answered on them lately, or they are closed
 * and opened anew. Until that succeeds, sends wait for it no longer than a request may take.
 *
 *     up ──a request fails or is not answered in time──► down ──connected, a broker answered──► up
 *
 * Where this process could hardly run while it waited in vain, the brokers are not to blame: see
 * `starvation`.
 */
export class ProducerLink implements AsyncDisposable {
  readonly #name: string;
  readonly #requestMs: number;
  readonly #topics: readonly string[];
  readonly #connect: () => Promise<Connection>;
  #state: LinkState;
  #respondedAt = performance.now();
  #hasTopics = true;
  #probing = false;
  #closed = false;
  readonly #timer: NodeJS.Timeout;

  private constructor({ name, requestMs, topics, connect }: LinkOptions, connection: Connection) {
    this.#name = name;
    this.#requestMs = requestMs;
    this.#topics = topics;
    this.#connect = connect;
    this.#state = { phase: "up", connection };
    this.#timer = setInterval(() => void this.#probeIfIdle(), probeEveryMs);
  }

  /**
   * Throws one sentence when no broker answers. `connect` opens connections, in tests others than Kafka's.
   * `topics` are those whose absence is to be noticed.
   */
  static async open(
    config: KafkaConfig,
    clientId: string,
    { topics = [], connect = () => connectProducer(config, clientId) }: OpenOptions = {},
  ): Promise<ProducerLink> {
    const connection = await connect().catch((cause: unknown) => {
      throw startError(cause);
    });
    return new ProducerLink(
      { name: `Kafka, ${clientId}`, requestMs: config.KAFKA_REQUEST_MS, topics, connect },
      connection,
    );
  }

  /**
   * Whether a broker has answered lately on the connections that send. Not by the age of its last answer: in
   * a process that was blocked, the newest one waits to be read.
   */
  get isResponsive(): boolean {
    return this.#state.phase === "up";
  }

  /** False from a broker's reply that a topic does not exist, until it is there or a send has succeeded. */
  get hasTopics(): boolean {
    return this.#hasTopics;
  }

  /** Set while there is no such connection, and this process had too little CPU to tell why. */
  get starvation(): TimeSpent | undefined {
    return this.#state.phase === "down" ? this.#state.starvation : undefined;
  }

  /**
   * Resolves when all in-sync replicas have the messages. Throws within KAFKA_REQUEST_MS (see ReplyTimeout),
   * and LinkDown where that is the connection's fault.
   */
  async send(topicMessages: TopicMessages[]): Promise<void> {
    const requestMs = this.#requestMs;
    const { promise: timedOut, reject } = Promise.withResolvers<never>();
    using timeout = new ReplyTimeout(requestMs, () => reject(new TimedOut()));
    const state = this.#state;
    const connection =
      state.phase === "up" ? state.connection : await this.#reconnected(state.reconnected, timedOut);
    const sent = connection.producer.sendBatch({ acks: -1, timeout: requestMs, topicMessages });
    try {
      await Promise.race([sent, timedOut]);
      this.#hasTopics = true;
      this.#respondedAt = performance.now();
    } catch (error) {
      const { spent } = timeout;
      // What a broker says that had no core itself, as that it leads no partition any more, is load as well.
      const { message } = error as Error;
      const isReply = causes(error).some(({ name }) => name === "KafkaJSProtocolError");
      if (isRefusedFor(error, missingTopic)) {
        this.#hasTopics = false;
        const topics = topicMessages.map(({ topic }) => topic);
        throw new Error(`Kafka lacks the topic ${topics.join(" or ")}`, { cause: error });
      }
      const isLoad = wasStarved(spent) && !isRefusedFor(error, diskFault);
      if (isReply) throw isLoad ? new Error(message, { cause: new Starved(spent) }) : error;
      // A timeout of a send that waited for the connection says nothing about the connection.
      if (state.phase === "up" || !(error instanceof TimedOut)) this.#reconnect(connection, error, spent);
      throw new LinkDown(message, { cause: causeOf(error, spent) });
    }
  }

  /** Resolves to the next connection. Throws when `timedOut` does. */
  async #reconnected(reconnected: Promise<Connection>, timedOut: Promise<never>): Promise<Connection> {
    try {
      return await Promise.race([reconnected, timedOut]);
    } catch (error) {
      const { starvation } = this;
      throw new LinkDown((error as Error).message, { cause: starvation && new Starved(starvation) });
    }
  }

  async #probeIfIdle(): Promise<void> {
    const state = this.#state;
    if (state.phase === "down" || this.#probing) return;
    if (performance.now() - this.#respondedAt < probeEveryMs / 2) return;
    this.#probing = true;
    using timeout = new ReplyTimeout(this.#requestMs, () => timedOut.reject(new TimedOut()));
    const timedOut = Promise.withResolvers<never>();
    try {
      const probed = probe(state.connection).then(() => haveTopics(state.connection, this.#topics));
      this.#hasTopics = await Promise.race([probed, timedOut.promise]);
      this.#respondedAt = performance.now();
    } catch (error) {
      this.#reconnect(state.connection, error, timeout.spent);
    } finally {
      this.#probing = false;
    }
  }

  #reconnect(connection: Connection, error: unknown, spent: TimeSpent): void {
    if (this.#closed || this.#state.phase === "down" || this.#state.connection !== connection) return;
    // Requests of kafkajs report their own silence.
    if (error instanceof TimedOut) reportSilence(this.#name, spent);
    connection.sockets.abandon();
    bestEffort("kafka_disconnect", connection.producer.disconnect());
    const { promise: reconnected, resolve } = Promise.withResolvers<Connection>();
    this.#state = { phase: "down", reconnected, starvation: starvationIn(error, spent) };
    void this.#connectUntilUp(this.#state, resolve);
  }

  async #connectUntilUp(
    down: LinkState & { phase: "down" },
    resolve: (connection: Connection) => void,
  ): Promise<void> {
    while (!this.#closed) {
      // For its `spent` alone: attempts have limits of their own.
      using attempt = new ReplyTimeout(this.#requestMs, () => {});
      try {
        const connection = await this.#connect();
        if (this.#closed) return connection.sockets.abandon();
        this.#respondedAt = performance.now();
        this.#state = { phase: "up", connection };
        return resolve(connection);
      } catch (error) {
        down.starvation = starvationIn(error, attempt.spent);
        await sleep(connectEveryMs, undefined, { ref: false });
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    if (this.#state.phase === "down") return;
    const { producer, sockets } = this.#state.connection;
    await within(this.#requestMs, producer.disconnect()).catch(() => sockets.abandon());
  }
}

/** A send failed because no broker answers. */
export class LinkDown extends Error {}

class TimedOut extends LinkDown {
  constructor() {
    // No duration: the log groups equal messages.
    super("Kafka did not answer in time");
  }
}

/** The wait in which this process could hardly run, if an error ended it that may be due to that alone. */
const starvationIn = (error: unknown, spent: TimeSpent): TimeSpent | undefined =>
  wasStarved(spent) && !isRefusal(error) ? spent : undefined;

const causeOf = (error: unknown, spent: TimeSpent): unknown => {
  const starvation = starvationIn(error, spent);
  return starvation === undefined ? error : new Starved(starvation);
};

/** Whether a broker, or its host, has said that it does not take the connection. */
const isRefusal = (error: unknown): boolean =>
  causes(error).some(({ message }) =>
    /\b(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENOTFOUND|closed by the server)\b/.test(message),
  );

/** Connects to a broker that answers, within the time of a connection attempt and a request. */
async function connectProducer(config: KafkaConfig, clientId: string): Promise<Connection> {
  const { kafka, sockets } = kafkaClient(config, clientId);
  const cluster = captureCluster(kafka);
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    // No retries: a message whose acknowledgement is late may have arrived.
    retry: { ...kafkaRetry, retries: 0 },
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  sockets.closeOnTimeout(producer);
  const connection = { producer, sockets, cluster };
  try {
    await within(2 * config.KAFKA_REQUEST_MS, producer.connect());
    await within(config.KAFKA_REQUEST_MS, probe(connection));
    return connection;
  } catch (error) {
    sockets.abandon();
    throw error;
  }
}

/** Asks every connected broker for a reply, on the connection over which it is sent to. */
async function probe(connection: Connection): Promise<void> {
  const connected = connectedBrokers(connection);
  if (connected.length === 0) throw new Error("no broker is connected");
  await Promise.all(connected.map((broker) => broker.apiVersions()));
}

/** Whether a broker knows all these topics. Any other error than that it does not is no answer to this. */
async function haveTopics(connection: Connection, topics: readonly string[]): Promise<boolean> {
  if (topics.length === 0) return true;
  try {
    await connectedBrokers(connection)[0]?.metadata([...topics]);
    return true;
  } catch (error) {
    return !isRefusedFor(error, missingTopic);
  }
}

/** Whether a broker has replied with this error of the protocol. */
const isRefusedFor = (error: unknown, type: string): boolean =>
  causes(error).some((each) => "type" in each && each.type === type);

const missingTopic = "UNKNOWN_TOPIC_OR_PARTITION";
/** The disk is full or broken: no load explains that. */
const diskFault = "KAFKA_STORAGE_ERROR";

function connectedBrokers({ cluster }: Connection): Broker[] {
  const { brokers, seedBroker } = cluster().brokerPool;
  const all = new Set([seedBroker, ...Object.values(brokers)]);
  return [...all].filter((each): each is Broker => each?.isConnected() ?? false);
}

/** A producer of kafkajs hides its connections; the client's private function that makes them does not. */
function captureCluster(kafka: object): () => Cluster {
  const hidden = kafka as Record<symbol, (options: unknown) => Cluster>;
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === "private:Kafka:createCluster",
  )!;
  const create = hidden[symbol]!;
  let cluster: Cluster;
  hidden[symbol] = (options) => {
    cluster = create(options);
    return cluster;
  };
  return () => cluster;
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  using _timeout = new ReplyTimeout(ms, () => reject(new TimedOut()));
  return await Promise.race([promise, timedOut]);
}

type LinkState =
  | { phase: "up"; connection: Connection }
  | { phase: "down"; reconnected: Promise<Connection>; starvation: TimeSpent | undefined };

type OpenOptions = { topics?: readonly string[]; connect?: () => Promise<Connection> };
type LinkOptions = Required<OpenOptions> & { name: string; requestMs: number };

export type Connection = {
  producer: Pick<Producer, "sendBatch" | "disconnect">;
  sockets: Pick<KafkaSockets, "abandon">;
  cluster: () => Cluster;
};

/** Parts of kafkajs' private classes. */
type Cluster = {
  brokerPool: { brokers: Record<string, Broker>; seedBroker: Broker | undefined };
};
type Broker = {
  isConnected(): boolean;
  apiVersions(): Promise<unknown>;
  metadata(topics: string[]): Promise<unknown>;
};
