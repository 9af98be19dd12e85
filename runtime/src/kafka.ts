import { type Admin, Kafka, logLevel, type SASLOptions } from "kafkajs";
import * as z from "zod";
import "./kafkajs-clock-patch.ts";
import "./kafkajs-fetch-patch.ts";
import "./kafkajs-idle-patch.ts";
import "./kafkajs-login-patch.ts";
import "./kafkajs-member-patch.ts";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { connectFault } from "./connect-fault.ts";
import { FileContent } from "./file-setting.ts";
import { KafkaSockets } from "./kafka-sockets.ts";
import { tlsOptions } from "./tls-options.ts";

/** `a:9092,b:9092` */
export const BrokerList = z
  .string()
  .transform((list) => list.split(",").map((broker) => broker.trim()))
  .refine(
    (brokers) => brokers.every((broker) => /^[\w.-]+:\d{1,5}$/.test(broker)),
    "must be host:port of each broker, separated by commas",
  )
  .transform((brokers) => brokers.join(","));

export const KafkaConfig = z.object({
  KAFKA_BROKERS: BrokerList.prefault("127.0.0.1:9092"),
  KAFKA_TLS: z.enum(["on", "off"]).default("off"),
  /** Certificates to trust in place of Node's own list. */
  KAFKA_TLS_CA_FILE: FileContent.optional(),
  /** Certificate and private key of this client, if the brokers ask for one. */
  KAFKA_TLS_CERTIFICATE_FILE: FileContent.optional(),
  KAFKA_TLS_KEY_FILE: FileContent.optional(),
  KAFKA_SASL_MECHANISM: z.enum(["plain", "scram-sha-256", "scram-sha-512"]).optional(),
  KAFKA_SASL_USERNAME: z.string().optional(),
  /** The password, or a file with it. */
  KAFKA_SASL_PASSWORD: z.string().optional(),
  KAFKA_SASL_PASSWORD_FILE: FileContent.optional(),
  /** Timeout of a request to a broker, and so of how soon a request is refused when the broker is gone. */
  KAFKA_REQUEST_MS: z.coerce.number().int().min(100).max(30_000).default(1_000),
  /** How long a member may be silent before its partitions are given to another. The broker must allow it. */
  KAFKA_SESSION_MS: z.coerce.number().int().min(1_000).max(60_000).default(3_000),
});
export type KafkaConfig = z.infer<typeof KafkaConfig>;

/** Few and early retries: callers prefer a quick error to a long wait. */
export const kafkaRetry = { retries: 2, initialRetryTime: 50, maxRetryTime: 300 };

/**
 * A client for one purpose: a broker answers one request at a time on a connection, so a fetch would delay a
 * send. `sockets` are all of its connections; its user calls `sockets.closeOnTimeout`.
 */
export function kafkaClient(config: KafkaConfig, clientId: string): { kafka: Kafka; sockets: KafkaSockets } {
  const sockets = new KafkaSockets();
  const kafka = new Kafka({
    clientId,
    brokers: config.KAFKA_BROKERS.split(","),
    ...(config.KAFKA_TLS === "on" ? { ssl: true } : {}),
    ...(config.KAFKA_SASL_MECHANISM === undefined ? {} : { sasl: sasl(config) }),
    requestTimeout: config.KAFKA_REQUEST_MS,
    connectionTimeout: config.KAFKA_REQUEST_MS,
    retry: kafkaRetry,
    logLevel: logLevel.NOTHING,
    // Kafkajs leaves Nagle's algorithm on, which delays a single message by 40 ms.
    socketFactory: ({ host, port, ssl, onConnect }) => {
      const socket = ssl
        ? connectTls({ host, port, ...tlsOptions(host, tlsFiles(config)) }, onConnect)
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
    password: config.KAFKA_SASL_PASSWORD_FILE ?? config.KAFKA_SASL_PASSWORD ?? "",
  }) as SASLOptions;

const tlsFiles = (config: KafkaConfig) => ({
  ca: config.KAFKA_TLS_CA_FILE,
  certificate: config.KAFKA_TLS_CERTIFICATE_FILE,
  key: config.KAFKA_TLS_KEY_FILE,
});

/** The error of a start, in one sentence that names the setting to correct. */
export function startError(cause: unknown): Error {
  const named = (name: string) => causes(cause).find((each) => each.name === name);
  const login = named("KafkaJSSASLAuthenticationError");
  const refusal = named("KafkaJSProtocolError");
  if (login === undefined && refusal !== undefined) {
    const mend = "create the pool's topics, or allow their use";
    return new Error(`KAFKA_BROKERS: the broker refuses (${refusal.message}); ${mend}`, { cause });
  }
  return connectFault(login ?? cause, {
    address: "KAFKA_BROKERS",
    login: "KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD_FILE or KAFKA_SASL_MECHANISM",
    ca: "KAFKA_TLS_CA_FILE",
    certificate: "KAFKA_TLS_CERTIFICATE_FILE and KAFKA_TLS_KEY_FILE",
    unreachable: "no broker answers there",
    remedy: "start one, or correct the address, KAFKA_TLS or the SASL settings",
  });
}

/** Returns a connected admin client. The launcher and tests create topics and read offsets with it. */
export async function openAdmin(config: KafkaConfig): Promise<Admin & AsyncDisposable> {
  const { kafka, sockets } = kafkaClient(config, "faceline-admin");
  const admin = kafka.admin();
  sockets.closeOnTimeout(admin);
  await admin.connect().catch((cause: unknown) => {
    throw startError(cause);
  });
  return Object.assign(admin, { [Symbol.asyncDispose]: () => admin.disconnect() });
}

/** An error of kafkajs and those that it wraps, the outermost first. */
export function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error && !chain.includes(each); each = each.cause) chain.push(each);
  return chain;
}
