import { type Admin, Kafka, logLevel, type SASLOptions } from "kafkajs";
import * as z from "zod";
import "./kafkajs-idle-patch.ts";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { KafkaSockets } from "./kafka-sockets.ts";

export const KafkaConfig = z.object({
  KAFKA_BROKERS: z.string().default("127.0.0.1:9092"),
  KAFKA_TLS: z.enum(["on", "off"]).default("off"),
  KAFKA_SASL_MECHANISM: z.enum(["plain", "scram-sha-256", "scram-sha-512"]).optional(),
  KAFKA_SASL_USERNAME: z.string().optional(),
  KAFKA_SASL_PASSWORD: z.string().optional(),
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
 * send. `sockets` are all of its connections; whoever uses it calls `sockets.closeOnTimeout`.
 */
export function kafkaClient(config: KafkaConfig, clientId: string): { kafka: Kafka; sockets: KafkaSockets } {
  const sockets = new KafkaSockets();
  const kafka = new Kafka({
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
        ? connectTls({ host, port, servername: host, ...ssl }, onConnect)
        : connect({ host, port }, onConnect);
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 10_000);
      sockets.add(socket);
      return socket;
    },
  });
  return { kafka, sockets };
}

const sasl = (config: KafkaConfig): SASLOptions =>
  ({
    mechanism: config.KAFKA_SASL_MECHANISM,
    username: config.KAFKA_SASL_USERNAME ?? "",
    password: config.KAFKA_SASL_PASSWORD ?? "",
  }) as SASLOptions;

/** Returns a connected admin client. The launcher and tests create topics and read offsets with it. */
export async function openAdmin(config: KafkaConfig): Promise<Admin & AsyncDisposable> {
  const { kafka, sockets } = kafkaClient(config, "faceline-admin");
  const admin = kafka.admin();
  sockets.closeOnTimeout(admin);
  await admin.connect().catch((cause: unknown) => {
    throw startError(config, cause);
  });
  return Object.assign(admin, { [Symbol.asyncDispose]: () => admin.disconnect() });
}

/** The error of a start, in one sentence for the operator. */
export function startError({ KAFKA_BROKERS }: KafkaConfig, cause: unknown): Error {
  const named = (name: string) => causes(cause).find((each) => each.name === name);
  const refusal = named("KafkaJSProtocolError");
  let sentence = `no broker answers at ${KAFKA_BROKERS}; start one, or correct the addresses or KAFKA_TLS`;
  if (named("KafkaJSSASLAuthenticationError") !== undefined) {
    sentence = "the broker refuses the credentials; correct KAFKA_SASL_USERNAME, _PASSWORD or _MECHANISM";
  } else if (refusal !== undefined) {
    sentence = `the broker refuses (${refusal.message}); create the pool's topics, or allow their use`;
  }
  return new Error(`KAFKA_BROKERS: ${sentence}`, { cause });
}

/** An error of kafkajs and those that it wraps, the outermost first. */
export function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error && !chain.includes(each); each = each.cause) chain.push(each);
  return chain;
}
