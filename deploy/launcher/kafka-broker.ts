import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { capture } from "./capture.ts";
import type { Program } from "./child.ts";
import { newPassword, writePrivateFile } from "./secrets.ts";

/** One Kafka broker on loopback that is its own controller. Formats its data folder the first time. */
export const kafkaBroker = (options: BrokerOptions): Promise<Program> =>
  kafkaProgram("kafka", options, brokerSettings(options));

/**
 * A Kafka process with the settings of its properties file. Formats its data folder the first time; brokers
 * of one cluster have one `clusterId`.
 */
export async function kafkaProgram(
  name: string,
  { java, libs, folder, port, heapMib, stop, clusterId, formatArgs = [] }: ProgramOptions,
  settings: KafkaSettings,
): Promise<Program> {
  const data = join(folder, "data");
  const properties = join(folder, "server.properties");
  const classpath = join(libs, "*");
  const lines = Object.entries({ ...settings, "log.dirs": data }).map(([key, value]) => `${key}=${value}\n`);
  // Passwords are in it.
  writePrivateFile(properties, lines.join(""));

  if (!existsSync(join(data, "meta.properties"))) {
    const args = ["format", "-t", clusterId ?? newClusterId(), "-c", properties, ...formatArgs];
    await capture(java, [...fastStartFlags, "-cp", classpath, "kafka.tools.StorageTool", ...args], {
      stop,
      failed: "Kafka's data folder could not be formatted",
    });
  }

  const logging = {
    defaultLogLevel: "warn",
    showDateTime: "true",
    dateTimeFormat: "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
  };
  const defines = Object.entries(logging).map(([name, value]) => `-Dorg.slf4j.simpleLogger.${name}=${value}`);
  const heap = ["-Xms64m", `-Xmx${heapMib}m`, "-XX:+ExitOnOutOfMemoryError"];
  return {
    name,
    command: java,
    args: [...heap, ...fastStartFlags, ...defines, "-cp", classpath, "kafka.Kafka", properties],
    env: process.env,
    ready: () => acceptsConnections("127.0.0.1", port),
    // A broker that stops in peace leaves this file, and the next one removes it. Without it, it reads the
    // whole of its newest segments before it listens.
    repairs: () => existsSync(join(data, "__cluster_metadata-0")) && !existsSync(join(data, cleanShutdown)),
  };
}

const cleanShutdown = ".kafka_cleanshutdown";

export function newClusterId(): string {
  const id = randomBytes(16);
  // One that begins with "-" would be read as an option.
  id[0]! &= 0x7f;
  return id.toString("base64url");
}

/**
 * The fastest start and the least CPU in the first minutes. With the second JIT compiler (C2) the idle broker
 * used twice the CPU in its first two minutes, and the latency of a single call did not improve.
 */
export const fastStartFlags = [
  "-XX:+UseSerialGC",
  "-XX:TieredStopAtLevel=1",
  "-Xshare:auto",
  "-XX:-UsePerfData",
];

/** Settings of one broker whose clients and whose controller's peers both have to log in. */
export function brokerSettings({ port, controllerPort, login, addresses }: BrokerSettings): KafkaSettings {
  const { listen, advertised } = addresses ?? { listen: "127.0.0.1", advertised: "127.0.0.1" };
  // The controller may change everything, users too. Only the broker itself knows this password.
  const broker = { user: "broker", password: newPassword() };
  return {
    "process.roles": "broker,controller",
    "node.id": 1,
    listeners: `CLIENTS://${listen}:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    "advertised.listeners": `CLIENTS://${advertised}:${port}`,
    "inter.broker.listener.name": "CLIENTS",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "CLIENTS:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT",
    "controller.quorum.voters": `1@127.0.0.1:${controllerPort}`,
    "sasl.enabled.mechanisms": "PLAIN",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "sasl.mechanism.controller.protocol": "PLAIN",
    "listener.name.clients.plain.sasl.jaas.config": plainLogin(broker, [broker, login]),
    "listener.name.controller.plain.sasl.jaas.config": plainLogin(broker, [broker]),
    "auto.create.topics.enable": false,
    // There are a few groups of a few members. By default each of these topics has 50 partitions, which cost
    // start time.
    "offsets.topic.num.partitions": 4,
    "transaction.state.log.num.partitions": 1,
    "share.coordinator.state.topic.num.partitions": 1,
    "offsets.topic.replication.factor": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.min.isr": 1,
    "group.initial.rebalance.delay.ms": 0,
    // A dead batcher is replaced when its session of 3 s ends; the broker's default minimum is 6 s.
    "group.min.session.timeout.ms": 1000,
    // A killed broker can register again only after its old session has ended: 9 s by default.
    "broker.session.timeout.ms": 2000,
    "broker.heartbeat.interval.ms": 500,
    "log.retention.check.interval.ms": 60_000,
    // The cost of an idle broker is the wake-ups of its threads. By default 22 threads wake three times a
    // second.
    "num.network.threads": 1,
    "num.io.threads": 2,
    "group.coordinator.threads": 1,
    // Empty records, twice a second, by which other controllers measure their lag. There are no others.
    "metadata.max.idle.interval.ms": 0,
    // Index files are allocated in full: 10 MiB each by default, for messages of a few hundred bytes.
    "log.index.size.max.bytes": 1024 * 1024,
    // Only topics of Kafka's own are compacted, and have a few dozen keys of 24 bytes here. The buffer is
    // allocated at the start: 128 MiB by default.
    "log.cleaner.dedupe.buffer.size": 2 * 1024 * 1024,
  };
}

/** Login of a listener at others, and the users that it accepts. */
export const plainLogin = (own: Login, users: Login[]): string =>
  [
    "org.apache.kafka.common.security.plain.PlainLoginModule required",
    `username="${own.user}" password="${own.password}"`,
    ...users.map(({ user, password }) => `user_${user}="${password}"`),
  ].join(" ") + ";";

/**
 * Whether the port accepts connections. The broker listens before it can answer: topics.ts waits for that.
 */
function acceptsConnections(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port });
  socket.on("connect", () => resolve(true));
  socket.on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

type ProgramOptions = {
  java: string;
  libs: string;
  folder: string;
  port: number;
  heapMib: number;
  stop: AbortSignal;
  clusterId?: string;
  /** More arguments for formatting the data folder. */
  formatArgs?: string[];
};

/**
 * `login`: the user of all clients. `addresses`: where the broker listens, and the name by which clients
 * reach it; loopback unless it runs in a container.
 */
type BrokerSettings = {
  port: number;
  controllerPort: number;
  login: Login;
  addresses?: { listen: string; advertised: string };
};

type BrokerOptions = ProgramOptions & BrokerSettings;

type Login = { user: string; password: string };

export type KafkaSettings = Record<string, string | number | boolean>;
