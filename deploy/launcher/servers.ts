import type { Program } from "./child.ts";
import { kafkaBroker } from "./kafka-broker.ts";
import { fetchKafkaJars, findJava } from "./kafka-install.ts";
import { freePorts, type PortSetting } from "./ports.ts";
import { findRedis } from "./redis-install.ts";
import { durableRedis, type RedisUser, volatileRedis } from "./redis-server.ts";
import { durableUsers, type RedisRights, unrestricted, volatileUsers } from "./redis-users.ts";
import { makePasswords, type Server } from "./secrets.ts";
import { kafkaUser, type ServerAccess, serverAccess, testUser } from "./server-access.ts";
import type { LauncherConfig } from "./settings.ts";
import type { StateFolder } from "./state-folder.ts";
import type { Steps } from "./steps.ts";
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

  /** Finds or fetches the programs of the servers that are to be started. */
  async fetch(steps: Steps): Promise<ServerCommands> {
    const { stop } = this.#options;
    const fetched: ServerCommands = {};
    if (this.#config.KAFKA_BROKERS === undefined) {
      fetched.java = await findJava(process.env, stop);
      await steps.run("Kafka", async (note) => {
        note("Maven may fetch 44 MB, once");
        note((await fetchKafkaJars(this.#state.kafkaLibs, stop)) ? "fetched by Maven" : "present");
      });
    }
    if (this.#config.REDIS_VOLATILE_URL === undefined || this.#config.REDIS_DURABLE_URL === undefined) {
      fetched.redis = await steps.run("Redis", async (note) => {
        note("pip may fetch 2 MB, once");
        const { command, note: server, warns } = await findRedis(this.#state.redis, stop);
        note(server, { warns });
        return command;
      });
    }
    return fetched;
  }

  /**
   * Starts the servers that have no address in the settings. Disposing stops them, also when another one
   * failed.
   */
  async start({ java, redis }: ServerCommands): Promise<void> {
    const { volatile, durable } = this.#state;
    const { REDIS_VOLATILE_PORT, REDIS_VOLATILE_MEMORY_MAX_MIB, REDIS_DURABLE_PORT } = this.#config;
    const starting: Promise<void>[] = [];
    if (redis !== undefined && this.#config.REDIS_VOLATILE_URL === undefined) {
      const options = {
        port: REDIS_VOLATILE_PORT,
        memoryMaxMib: REDIS_VOLATILE_MEMORY_MAX_MIB,
        users: this.#makeUsers("redis-volatile", volatileUsers),
        probe: "launcher",
      };
      starting.push(this.#supervise(volatileRedis(redis, volatile, options)));
    }
    if (redis !== undefined && this.#config.REDIS_DURABLE_URL === undefined) {
      const users = this.#makeUsers("redis-durable", durableUsers);
      const options = { port: REDIS_DURABLE_PORT, users, probe: "keys" };
      starting.push(this.#supervise(durableRedis(redis, durable, options)));
    }
    if (java !== undefined) starting.push(this.#startBroker(java));
    await Promise.all(starting);
  }

  #makeUsers(server: Server, rights: Record<string, RedisRights>): RedisUser[] {
    const all = this.#withTestUser ? { ...rights, [testUser]: unrestricted } : rights;
    const passwords = makePasswords(this.#state.secrets, server, Object.keys(all));
    return Object.entries(all).map(([user, rights]) => ({ user, password: passwords[user]!, rights }));
  }

  async #startBroker(java: string): Promise<void> {
    const { [kafkaUser]: password } = makePasswords(this.#state.secrets, "kafka", [kafkaUser]);
    // Only the broker itself connects to its controller.
    const [controllerPort = 0] = await freePorts(1);
    const program = await kafkaBroker({
      java,
      libs: this.#state.kafkaLibs,
      folder: this.#state.kafka,
      port: this.#config.KAFKA_PORT,
      controllerPort,
      heapMib: brokerHeapMib,
      login: { user: kafkaUser, password },
      stop: this.#options.stop,
    });
    await this.#supervise(program);
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

/** Heap of the broker, of which 30 MiB live. With 128, collections cost a fifth of its CPU. */
const brokerHeapMib = 160;

/** The ports of the servers that are to be started. */
export function serverPorts(config: LauncherConfig): PortSetting[] {
  const host = "127.0.0.1";
  const ports: PortSetting[] = [];
  if (config.KAFKA_BROKERS === undefined) {
    ports.push({ setting: "KAFKA_PORT", host, port: config.KAFKA_PORT });
  }
  if (config.REDIS_VOLATILE_URL === undefined) {
    ports.push({ setting: "REDIS_VOLATILE_PORT", host, port: config.REDIS_VOLATILE_PORT });
  }
  if (config.REDIS_DURABLE_URL === undefined) {
    ports.push({ setting: "REDIS_DURABLE_PORT", host, port: config.REDIS_DURABLE_PORT });
  }
  return ports;
}

/** Commands of the servers that are to be started; absent where the settings have addresses. */
type ServerCommands = { java?: string; redis?: string };
