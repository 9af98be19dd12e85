import { join } from "node:path";
import type { Program } from "./child.ts";
import { kafkaBroker } from "./kafka-broker.ts";
import { fetchJars } from "./jars.ts";
import { findJava } from "./java-install.ts";
import { freePorts, type PortSetting } from "./ports.ts";
import { findRedis } from "./redis-install.ts";
import { durableRedis, type RedisUser, volatileRedis } from "./redis-server.ts";
import { durableUsers, type RedisRights, unrestricted, volatileUsers } from "./redis-users.ts";
import { makePasswords, type Server } from "./secrets.ts";
import { kafkaUser, type ServerAccess, serverAccess, testUser } from "./server-access.ts";
import type { LauncherConfig } from "./settings.ts";
import { repository, type StateFolder } from "./state-folder.ts";
import type { Note, Steps } from "./steps.ts";
import { Supervisor, type SupervisorOptions } from "./supervisor.ts";

/**
 * One Kafka broker and two Redis servers. Each one with an address in the settings is used as it is; the
 * others are started.
 */
export class Servers implements AsyncDisposable {
  readonly access: ServerAccess;
  readonly #config: LauncherConfig;
  readonly #state: StateFolder;
  readonly #options: SupervisorOptions;
  readonly #running: Supervisor[] = [];

  readonly #withTestUser: boolean;

  /** `withTestUser`: the Redis servers that are started have a user besides, who may do everything. */
  constructor(
    config: LauncherConfig,
    state: StateFolder,
    watch: SupervisorOptions,
    { withTestUser = false } = {},
  ) {
    this.#config = config;
    this.#state = state;
    this.#options = watch;
    this.#withTestUser = withTestUser;
    this.access = serverAccess(config, state.secrets);
  }

  /**
   * Fetches and starts the servers that have no address in the settings, beside each other. Disposing stops
   * them, also when another one failed.
   */
  async start(steps: Steps): Promise<void> {
    const { KAFKA_BROKERS, REDIS_VOLATILE_URL, REDIS_DURABLE_URL } = this.#config;
    await Promise.all([
      KAFKA_BROKERS ?? steps.run("Kafka", (note) => this.#startKafka(note)),
      (REDIS_VOLATILE_URL && REDIS_DURABLE_URL) ?? steps.run("Redis", (note) => this.#startRedis(note)),
    ]);
  }

  async #startRedis(note: Note): Promise<void> {
    const { volatile, durable, redis } = this.#state;
    const config = this.#config;
    note("2 MB may come, once");
    const { command, note: server } = await findRedis(redis, this.#options.stop);
    const starting: Promise<void>[] = [];
    if (config.REDIS_VOLATILE_URL === undefined) {
      const options = {
        port: config.REDIS_VOLATILE_PORT,
        memoryMaxMib: config.REDIS_VOLATILE_MEMORY_MAX_MIB,
        users: this.#makeUsers("redis-volatile", volatileUsers),
        probe: "launcher",
      };
      starting.push(this.#supervise(volatileRedis(command, volatile, options)));
    }
    if (config.REDIS_DURABLE_URL === undefined) {
      const users = this.#makeUsers("redis-durable", durableUsers);
      const options = { port: config.REDIS_DURABLE_PORT, users, probe: "keys" };
      starting.push(this.#supervise(durableRedis(command, durable, options)));
    }
    await Promise.all(starting);
    note(server);
  }

  async #startKafka(note: Note): Promise<void> {
    const { stop } = this.#options;
    const libs = this.#state.kafkaLibs;
    note("up to 80 MB may come, once");
    const [java, jars] = await Promise.all([findJava(this.#state.java, stop), fetchKafka(libs, stop)]);
    const { [kafkaUser]: password } = makePasswords(this.#state.secrets, "kafka", [kafkaUser]);
    // Only the broker itself connects to its controller.
    const [controllerPort = 0] = await freePorts(1);
    const program = await kafkaBroker({
      java: java.command,
      libs,
      folder: this.#state.kafka,
      port: this.#config.KAFKA_PORT,
      controllerPort,
      heapMib: brokerHeapMib,
      login: { user: kafkaUser, password },
      stop,
    });
    await this.#supervise(program);
    note(`${java.note}, jars ${jars}`);
  }

  #makeUsers(server: Server, rights: Record<string, RedisRights>): RedisUser[] {
    const all = this.#withTestUser ? { ...rights, [testUser]: unrestricted } : rights;
    const passwords = makePasswords(this.#state.secrets, server, Object.keys(all));
    return Object.entries(all).map(([user, rights]) => ({ user, password: passwords[user]!, rights }));
  }

  #supervise(program: Program): Promise<void> {
    const supervisor = new Supervisor(program, this.#options);
    this.#running.push(supervisor);
    return supervisor.start();
  }

  /** The supervisor of a server, for tests of its failure; undefined when this launch did not start it. */
  find(name: "kafka" | "redis-volatile" | "redis-durable"): Supervisor | undefined {
    return this.#running.find((each) => each.name === name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((each) => each.stop()));
  }
}

/** Fetches the jars of the broker into `folder`, unless they are there, and returns how they came. */
export const fetchKafka = (folder: string, stop: AbortSignal): Promise<string> =>
  fetchJars({ name: "Kafka", pins: join(repository, "deploy", "kafka"), folder, stop });

/** Heap of the broker, of which 30 MiB live. With 128, collections cost a fifth of its CPU. */
const brokerHeapMib = 160;

/** The ports of the servers that are to be started. */
export function serverPorts(config: LauncherConfig): PortSetting[] {
  const settings = [
    ["KAFKA_PORT", config.KAFKA_BROKERS],
    ["REDIS_VOLATILE_PORT", config.REDIS_VOLATILE_URL],
    ["REDIS_DURABLE_PORT", config.REDIS_DURABLE_URL],
  ] as const;
  return settings
    .filter(([, address]) => address === undefined)
    .map(([setting]) => ({ setting, host: "127.0.0.1", port: config[setting] }));
}
