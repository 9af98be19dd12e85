import { kafkaBroker } from "./broker.ts";
import { findJava } from "./java.ts";
import { fetchKafkaJars } from "./kafka-jars.ts";
import type { WantedPort } from "./ports.ts";
import { findRedis } from "./redis-binary.ts";
import { durableRedis, volatileRedis } from "./redis-server.ts";
import { durableUrlOf, type LauncherConfig } from "./settings.ts";
import type { StateFolder } from "./state-folder.ts";
import type { Steps } from "./steps.ts";
import { Supervisor, type Watch } from "./supervisor.ts";

/** One Kafka broker and two Redis servers: those that are given, and processes for those that are not. */
export class Servers implements AsyncDisposable {
  readonly urls: ServerUrls;
  readonly #config: LauncherConfig;
  readonly #state: StateFolder;
  readonly #watch: Watch;
  readonly #running: Supervisor[] = [];

  constructor(config: LauncherConfig, state: StateFolder, watch: Watch) {
    this.#config = config;
    this.#state = state;
    this.#watch = watch;
    this.urls = {
      KAFKA_BROKERS: config.KAFKA_BROKERS ?? `127.0.0.1:${config.KAFKA_PORT}`,
      REDIS_VOLATILE_URL: config.REDIS_VOLATILE_URL ?? `redis://127.0.0.1:${config.REDIS_VOLATILE_PORT}`,
      REDIS_DURABLE_URL: durableUrlOf(config),
    };
  }

  /** Fetches what is missing. */
  async fetch(steps: Steps): Promise<Fetched> {
    const { stop } = this.#watch;
    const fetched: Fetched = {};
    if (this.#config.KAFKA_BROKERS === undefined) {
      fetched.java = await findJava(process.env, stop);
      await steps.run("Kafka", async (note) => {
        note((await fetchKafkaJars(this.#state.kafkaLibs, stop)) ? "fetched by Maven" : "there");
      });
    }
    if (this.#config.REDIS_VOLATILE_URL === undefined || this.#config.REDIS_DURABLE_URL === undefined) {
      fetched.redis = await steps.run("Redis", async (note) => {
        const found = await findRedis(this.#state.redis, stop);
        note(found.from);
        return found.command;
      });
    }
    return fetched;
  }

  /** Starts what was not given. What has started is stopped by closing this, also when another one fails. */
  async start({ java, redis }: Fetched): Promise<void> {
    const { volatile, durable } = this.#state;
    const { REDIS_VOLATILE_PORT, REDIS_VOLATILE_MEMORY_MAX_MIB, REDIS_DURABLE_PORT } = this.#config;
    const starting: Promise<void>[] = [];
    if (redis !== undefined && this.#config.REDIS_VOLATILE_URL === undefined) {
      const options = { port: REDIS_VOLATILE_PORT, memoryMaxMib: REDIS_VOLATILE_MEMORY_MAX_MIB };
      starting.push(this.#supervise(volatileRedis(redis, volatile, options)));
    }
    if (redis !== undefined && this.#config.REDIS_DURABLE_URL === undefined) {
      starting.push(this.#supervise(durableRedis(redis, durable, REDIS_DURABLE_PORT)));
    }
    if (java !== undefined) starting.push(this.#startBroker(java));
    await Promise.all(starting);
  }

  async #startBroker(java: string): Promise<void> {
    const program = await kafkaBroker({
      java,
      libs: this.#state.kafkaLibs,
      folder: this.#state.kafka,
      port: this.#config.KAFKA_PORT,
      controllerPort: this.#config.KAFKA_CONTROLLER_PORT,
      heapMib: this.#config.KAFKA_HEAP_MIB,
      stop: this.#watch.stop,
    });
    await this.#supervise(program);
  }

  #supervise(program: ConstructorParameters<typeof Supervisor>[0]): Promise<void> {
    const supervisor = new Supervisor(program, this.#watch);
    this.#running.push(supervisor);
    return supervisor.start();
  }

  /** A handle on one of them, for tests of what happens when it goes. */
  find(name: "kafka" | "redis-volatile" | "redis-durable"): Supervisor | undefined {
    return this.#running.find((each) => each.name === name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((each) => each.stop()));
  }
}

/** The ports that servers would take which are not given. */
export function serverPorts(config: LauncherConfig): WantedPort[] {
  const host = "127.0.0.1";
  const wanted: WantedPort[] = [];
  if (config.KAFKA_BROKERS === undefined) {
    wanted.push({ setting: "KAFKA_PORT", host, port: config.KAFKA_PORT });
    wanted.push({ setting: "KAFKA_CONTROLLER_PORT", host, port: config.KAFKA_CONTROLLER_PORT });
  }
  if (config.REDIS_VOLATILE_URL === undefined) {
    wanted.push({ setting: "REDIS_VOLATILE_PORT", host, port: config.REDIS_VOLATILE_PORT });
  }
  if (config.REDIS_DURABLE_URL === undefined) {
    wanted.push({ setting: "REDIS_DURABLE_PORT", host, port: config.REDIS_DURABLE_PORT });
  }
  return wanted;
}

export type ServerUrls = { KAFKA_BROKERS: string; REDIS_VOLATILE_URL: string; REDIS_DURABLE_URL: string };

/** What the servers run with; absent where nothing is to be started. */
export type Fetched = { java?: string; redis?: string };
