import { type Admin, Kafka, logLevel, Partitioners, type SASLOptions } from "kafkajs";
import * as z from "zod";
import "./kafkajs-clock-patch.ts";
import "./kafkajs-idle-patch.ts";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { connectFault } from "./connect-fault.ts";
import { FileContent } from "./file-setting.ts";
import { flushLength, type Message, recordBatchBytesMax, recordBytes } from "./kafka-flush.ts";
import { tlsOptions } from "./tls-options.ts";

export const KafkaConfig = z.object({
  KAFKA_BROKERS: z.string().default("127.0.0.1:9092"),
  KAFKA_TLS: z.enum(["on", "off"]).default("off"),
  /** Certificates to trust in place of Node's own list. */
  KAFKA_TLS_CA_FILE: FileContent.optional(),
  /** Certificate and private key of this client, where the brokers ask for one. */
  KAFKA_TLS_CERTIFICATE_FILE: FileContent.optional(),
  KAFKA_TLS_KEY_FILE: FileContent.optional(),
  KAFKA_SASL_MECHANISM: z.enum(["plain", "scram-sha-256", "scram-sha-512"]).optional(),
  KAFKA_SASL_USERNAME: z.string().optional(),
  /** The password, or a file with it. */
  KAFKA_SASL_PASSWORD: z.string().optional(),
  KAFKA_SASL_PASSWORD_FILE: FileContent.optional(),
  /** How long a request to a broker may take; with it, how soon a call is refused when the broker is gone. */
  KAFKA_REQUEST_MS: z.coerce.number().int().min(100).max(30_000).default(1_000),
  /** How long a member may be silent before its partitions are given to another. The broker must allow it. */
  KAFKA_SESSION_MS: z.coerce.number().int().min(1_000).max(60_000).default(3_000),
});
export type KafkaConfig = z.infer<typeof KafkaConfig>;

const connectMs = 500;

/** Few and early retries: callers prefer a quick error to a long wait. */
export const kafkaRetry = { retries: 2, initialRetryTime: 50, maxRetryTime: 300 };

/**
 * A client for one purpose: a broker answers one request at a time on a connection, so a fetch would delay a
 * send.
 */
export function kafkaClient(config: KafkaConfig, clientId: string): Kafka {
  return new Kafka({
    clientId,
    brokers: config.KAFKA_BROKERS.split(","),
    ...(config.KAFKA_TLS === "on" ? { ssl: true } : {}),
    ...(config.KAFKA_SASL_MECHANISM === undefined ? {} : { sasl: sasl(config) }),
    requestTimeout: config.KAFKA_REQUEST_MS,
    connectionTimeout: connectMs,
    retry: kafkaRetry,
    logLevel: logLevel.NOTHING,
    // Kafkajs leaves Nagle's algorithm on, which delays a single message by 40 ms.
    socketFactory: ({ host, port, ssl, onConnect }) => {
      const socket = ssl
        ? connectTls({ host, port, ...tlsOptions(host, tlsFiles(config)) }, onConnect)
        : connect({ host, port }, onConnect);
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 10_000);
      return socket;
    },
  });
}

const sasl = (config: KafkaConfig): SASLOptions =>
  ({
    mechanism: config.KAFKA_SASL_MECHANISM,
    username: config.KAFKA_SASL_USERNAME ?? "",
    password: config.KAFKA_SASL_PASSWORD_FILE ?? config.KAFKA_SASL_PASSWORD ?? "",
  }) as SASLOptions;

const tlsFiles = (config: KafkaConfig) => ({
  ca: config.KAFKA_TLS_CA_FILE,
  certificate: config.KAFKA_TLS_CERTIFICATE_FILE,
  key: config.KAFKA_TLS_KEY_FILE,
});

/** Connects a producer, consumer or admin client. Throws a sentence that names the setting to correct. */
export async function connectKafka(client: { connect(): Promise<void> }): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    const message = connectFault(cause, {
      address: "KAFKA_BROKERS",
      login: "KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD_FILE or KAFKA_SASL_MECHANISM",
      ca: "KAFKA_TLS_CA_FILE",
      certificate: "KAFKA_TLS_CERTIFICATE_FILE and KAFKA_TLS_KEY_FILE",
      unreachable:
        "no broker answers there; start one, or correct the address, KAFKA_TLS or the SASL settings",
    });
    throw new Error(message, { cause });
  }
}

/** Returns a connected admin client. The launcher and tests create topics and read offsets with it. */
export async function openAdmin(config: KafkaConfig): Promise<Admin & AsyncDisposable> {
  const admin = kafkaClient(config, "faceline-admin").admin();
  await connectKafka(admin);
  return Object.assign(admin, { [Symbol.asyncDispose]: () => admin.disconnect() });
}

/**
 * Sends messages: one request in flight, and what comes meanwhile goes together in the next ones, each with
 * at most `recordBatchBytesMax` for a partition. Nothing lingers, so a lonely message leaves at once. `send`
 * resolves when all in-sync replicas have the message, and throws when Kafka cannot take it, when it alone is
 * larger than that, or when `waitingMax` messages already wait.
 */
export async function openProducer(config: KafkaConfig, clientId: string): Promise<Producer> {
  const producer = kafkaClient(config, clientId).producer({
    allowAutoTopicCreation: false,
    // No retries: a message whose acknowledgement is late may have arrived.
    retry: { ...kafkaRetry, retries: 0 },
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await connectKafka(producer);
  const waiting: Waiting[] = [];
  let sending = false;

  const flush = async (): Promise<void> => {
    sending = true;
    // Messages of the same turn of the event loop join the first request.
    await Promise.resolve();
    while (waiting.length > 0) {
      const leaving = waiting.splice(0, flushLength(waiting));
      const topicMessages = [...Map.groupBy(leaving, (each) => each.topic)].map(([topic, messages]) => ({
        topic,
        messages: messages.map(({ partition, value, headers }) => ({ partition, value, headers })),
      }));
      try {
        await producer.sendBatch({ acks: -1, timeout: config.KAFKA_REQUEST_MS, topicMessages });
        for (const each of leaving) each.resolve();
      } catch (error) {
        for (const each of leaving) each.reject(error);
      }
    }
    sending = false;
  };

  const send: Producer["send"] = (topic, partition, value, headers = {}) => {
    if (waiting.length >= waitingMax) return Promise.reject(new Error("too many messages wait for Kafka"));
    const bytes = recordBytes({ value, headers });
    if (bytes > recordBatchBytesMax) {
      const fault = `a message for ${topic} has ${bytes} bytes, more than fit into a record batch`;
      return Promise.reject(new Error(`${fault} (${recordBatchBytesMax}): send it in smaller parts`));
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push({ topic, partition, value, headers, bytes, resolve, reject });
    if (!sending) void flush();
    return promise;
  };

  return {
    send,
    [Symbol.asyncDispose]: () => producer.disconnect(),
  };
}

const waitingMax = 10_000;

export type Producer = AsyncDisposable & {
  send(
    topic: string,
    partition: number,
    value: string | null,
    headers?: Record<string, string>,
  ): Promise<void>;
};

type Waiting = Message & {
  resolve: () => void;
  reject: (error: unknown) => void;
};
