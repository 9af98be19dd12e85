import { setTimeout as sleep } from "node:timers/promises";
import { Partitioners, type Producer, type TopicMessages } from "kafkajs";
import { bestEffort } from "./best-effort.ts";
import { causes, type KafkaConfig, kafkaClient, kafkaRetry, startError } from "./kafka.ts";
import type { KafkaSockets } from "./kafka-sockets.ts";
import { reportSilence } from "./connection-silence.ts";
import { reportConnection } from "./server-outages.ts";
import { HangTimeout, Stopwatch } from "./starvation.ts";

/** Interval of probes. A connection over which a send was acknowledged within half of it gets none. */
const probeEveryMs = 1_000;
/** The pause after an attempt to connect that failed. */
const connectEveryMs = 250;

/**
 * The connections of a producer, which it probes: a broker has answered on them lately, or they are closed
 * and opened again. Until that succeeds, sends wait for it no longer than a request may take.
 *
 *     up ──a request fails or is not answered in time──► down ──connected, a broker answered──► up
 *
 * Where this process could hardly run while it waited in vain, the brokers are not to blame: see `isStarved`.
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

  /** True while there is no such connection, and this process had too little CPU to tell why. */
  get isStarved(): boolean {
    return this.#state.phase === "down" && this.#state.isStarved;
  }

  /**
   * Resolves when all in-sync replicas have the messages. Throws within KAFKA_REQUEST_MS (see HangTimeout),
   * and LinkDown if that is the connection's fault.
   */
  async send(topicMessages: TopicMessages[]): Promise<void> {
    const requestMs = this.#requestMs;
    const { promise: timedOut, reject } = Promise.withResolvers<never>();
    using timeout = new HangTimeout(requestMs, () => reject(new TimedOut()));
    const state = this.#state;
    const connection =
      state.phase === "up" ? state.connection : await Promise.race([state.reconnected, timedOut]);
    const sent = connection.producer.sendBatch({ acks: -1, timeout: requestMs, topicMessages });
    try {
      await Promise.race([sent, timedOut]);
      this.#hasTopics = true;
      this.#respondedAt = performance.now();
    } catch (error) {
      if (isRefusedFor(error, missingTopic)) {
        this.#hasTopics = false;
        const topics = topicMessages.map(({ topic }) => topic);
        throw new Error(`Kafka lacks the topic ${topics.join(" or ")}`, { cause: error });
      }
      if (causes(error).some(({ name }) => name === "KafkaJSProtocolError")) throw error;
      // A timeout of a send that waited for the connection says nothing about the connection.
      if (state.phase === "up" || !(error instanceof TimedOut)) this.#reconnect(connection, error, timeout);
      throw new LinkDown((error as Error).message, { cause: error });
    }
  }

  async #probeIfIdle(): Promise<void> {
    const state = this.#state;
    if (state.phase === "down" || this.#probing) return;
    if (performance.now() - this.#respondedAt < probeEveryMs / 2) return;
    this.#probing = true;
    const probing = new Stopwatch();
    try {
      this.#hasTopics = await within(this.#requestMs, probe(state.connection, this.#topics));
      this.#respondedAt = performance.now();
    } catch (error) {
      this.#reconnect(state.connection, error, probing);
    } finally {
      this.#probing = false;
    }
  }

  #reconnect(connection: Connection, error: unknown, wait: Stopwatch): void {
    if (this.#closed || this.#state.phase === "down" || this.#state.connection !== connection) return;
    // Requests of kafkajs report their own silence.
    if (error instanceof TimedOut) reportSilence(this.#name, wait.isStarved);
    reportConnection("Kafka", this, true);
    connection.sockets.abandon();
    bestEffort("kafka_disconnect", connection.producer.disconnect());
    const { promise: reconnected, resolve } = Promise.withResolvers<Connection>();
    this.#state = { phase: "down", reconnected, isStarved: wait.isStarved && !isKafkaFault(error) };
    void this.#connectUntilUp(this.#state, resolve);
  }

  async #connectUntilUp(
    down: LinkState & { phase: "down" },
    resolve: (connection: Connection) => void,
  ): Promise<void> {
    while (!this.#closed) {
      const attempt = new Stopwatch();
      try {
        const connection = await this.#connect();
        if (this.#closed) return connection.sockets.abandon();
        this.#respondedAt = performance.now();
        this.#state = { phase: "up", connection };
        reportConnection("Kafka", this, false);
        return resolve(connection);
      } catch (error) {
        down.isStarved = attempt.isStarved && !isKafkaFault(error);
        await sleep(connectEveryMs, undefined, { ref: false });
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    if (this.#state.phase === "down") return reportConnection("Kafka", this, false);
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

/**
 * Whether an error shows a fault of the brokers that load cannot explain: the connection is refused, a topic
 * is missing, a disk is full. Other errors of a broker may come from load on its own host, for example that
 * it no longer leads a partition.
 */
export const isKafkaFault = (error: unknown): boolean =>
  isRefusedFor(error, missingTopic) ||
  isRefusedFor(error, "KAFKA_STORAGE_ERROR") ||
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
    await within(config.KAFKA_REQUEST_MS, probe(connection, []));
    return connection;
  } catch (error) {
    sockets.abandon();
    throw error;
  }
}

/**
 * Asks every connected broker for a reply, on the connection used for sending, and the first one whether it
 * knows all these topics. Only the error that it does not know them counts as an answer to that.
 */
async function probe(connection: Connection, topics: readonly string[]): Promise<boolean> {
  const [first, ...others] = connectedBrokers(connection);
  if (first === undefined) throw new Error("no broker is connected");
  const replies = others.map((broker) => broker.apiVersions());
  replies.push(topics.length === 0 ? first.apiVersions() : first.metadata([...topics]));
  try {
    await Promise.all(replies);
    return true;
  } catch (error) {
    if (!causes(error).some(({ name }) => name === "KafkaJSProtocolError")) throw error;
    return !isRefusedFor(error, missingTopic);
  }
}

/** Whether a broker has replied with this error of the protocol. */
const isRefusedFor = (error: unknown, type: string): boolean =>
  causes(error).some((each) => "type" in each && each.type === type);

const missingTopic = "UNKNOWN_TOPIC_OR_PARTITION";

function connectedBrokers({ cluster }: Connection): Broker[] {
  const { brokers, seedBroker } = cluster().brokerPool;
  const all = new Set([seedBroker, ...Object.values(brokers)]);
  return [...all].filter((each): each is Broker => each?.isConnected() ?? false);
}

/** kafkajs' producer hides its connections; the client's private function that makes them does not. */
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
  using _timeout = new HangTimeout(ms, () => reject(new TimedOut()));
  return await Promise.race([promise, timedOut]);
}

type LinkState =
  | { phase: "up"; connection: Connection }
  | { phase: "down"; reconnected: Promise<Connection>; isStarved: boolean };

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
