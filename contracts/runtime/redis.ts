import type { RedisOptions } from "ioredis";
import * as z from "zod";
import { RedisWithLiveness } from "./redis-liveness.ts";
import { type CheckOptions, VolatileRedis, volatileCheckEveryMs } from "./volatile-redis.ts";

export const VolatileRedisConfig = z.object({
  REDIS_VOLATILE_URL: z.string().default("redis://127.0.0.1:6379"),
  /**
   * Managed servers often refuse CONFIG. `accept`: the operator guarantees that the server writes no
   * snapshots.
   */
  REDIS_VOLATILE_CONFIG_UNREADABLE: z.enum(["refuse", "accept"]).default("refuse"),
  /**
   * How long one command may take before it counts as failed, and how long a connection may be silent while a
   * reply is due before it is closed and opened anew.
   */
  REDIS_COMMAND_MS: z.coerce.number().int().min(50).max(10_000).default(1_000),
});
export type VolatileRedisConfig = z.infer<typeof VolatileRedisConfig>;

const connectMs = 2_000;
const disconnectMs = 200;
const reconnectAfterMaxMs = 500;

/**
 * Returns a connected client. Commands are not queued while the server is unreachable: they fail at once,
 * and the caller decides what to do. `commandMs` is the timeout of each command. Throws an error that names
 * `setting` when the first connection fails.
 */
export async function connectRedis(
  setting: string,
  url: string,
  commandMs: number,
  options: ConnectionOptions = {},
): Promise<RedisConnection> {
  return open(setting, new RedisWithLiveness(url, clientOptions(commandMs, options), commandMs));
}

/**
 * Returns a client of the volatile server. Refuses a server that persists, replicates or evicts: images must
 * never reach a disk, and an evicted answer is lost. Throws an error that says which settings of the server
 * to correct. If the server starts to persist, replicate or evict later, the client rejects commands and logs
 * an error until the server is corrected.
 */
export async function connectVolatileRedis(
  config: VolatileRedisConfig,
  {
    autoPipelining,
    untimed,
    log,
    everyMs = volatileCheckEveryMs,
    whileInUse = true,
  }: VolatileRedisOptions = {},
): Promise<VolatileConnection> {
  const { REDIS_VOLATILE_URL, REDIS_VOLATILE_CONFIG_UNREADABLE, REDIS_COMMAND_MS } = config;
  const options = clientOptions(REDIS_COMMAND_MS, { autoPipelining, untimed });
  const check = {
    configUnreadable: REDIS_VOLATILE_CONFIG_UNREADABLE,
    everyMs,
    whileInUse,
    log,
    silenceMaxMs: REDIS_COMMAND_MS,
  };
  const redis = await open("REDIS_VOLATILE_URL", new VolatileRedis(REDIS_VOLATILE_URL, options, check));
  const faults = await redis.check().catch((cause: unknown) => {
    redis.disconnect();
    throw new Error("REDIS_VOLATILE_URL: the server does not answer INFO and CONFIG GET in time", { cause });
  });
  if (faults.length > 0) {
    redis.disconnect();
    throw new Error(`REDIS_VOLATILE_URL: this server may not hold pictures: ${faults.join("; ")}`);
  }
  redis.keepChecking();
  return redis;
}

const clientOptions = (
  commandMs: number,
  { autoPipelining = false, untimed = false }: ConnectionOptions,
): Omit<RedisOptions, "replyMapping"> => ({
  lazyConnect: true,
  // RESP2: every server since 6.2 supports it, and replies keep their plain types.
  protocol: 2,
  connectTimeout: connectMs,
  // A server that is silent does not confirm the end of a connection either.
  disconnectTimeout: disconnectMs,
  ...(untimed ? {} : { commandTimeout: commandMs }),
  // When a connection is closed its commands fail at once.
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  enableAutoPipelining: autoPipelining,
  autoResubscribe: false,
  keepAlive: 10_000,
  noDelay: true,
  retryStrategy: (attempt) => Math.min(20 * attempt, reconnectAfterMaxMs),
});

async function open<R extends RedisWithLiveness>(setting: string, redis: R): Promise<R & AsyncDisposable> {
  // Callers handle the failure of each command. Without a listener, the event would end the process.
  redis.on("error", () => {});
  try {
    await redis.connect();
  } catch (cause) {
    redis.disconnect();
    throw new Error(
      `${setting}: no Redis server lets us in there; start one, or correct the address or the password`,
      { cause },
    );
  }
  return Object.assign(redis, {
    async [Symbol.asyncDispose]() {
      redis.disconnect();
    },
  });
}

/**
 * Subscribes to channels on a separate connection, and subscribes again after every reconnect. Messages that
 * were published in between are lost: a caller that cannot lose any reads the state again in
 * `onResubscribed`. Throws an error that names the setting when the first connection fails.
 */
export async function subscribe(
  config: VolatileRedisConfig,
  channels: string[],
  onMessage: (message: Buffer) => void,
  onResubscribed: () => void = () => {},
): Promise<Subscription> {
  const redis = await connectRedis("REDIS_VOLATILE_URL", config.REDIS_VOLATILE_URL, config.REDIS_COMMAND_MS);
  return subscribeOn("REDIS_VOLATILE_URL", redis, channels, onMessage, onResubscribed);
}

/** The same as `subscribe`, for channels of the durable server. */
export async function subscribeDurable(
  config: DurableRedisConfig,
  channels: string[],
  onMessage: (message: Buffer) => void,
  onResubscribed: () => void,
): Promise<Subscription> {
  const redis = await connectRedis("REDIS_DURABLE_URL", config.REDIS_DURABLE_URL, config.REDIS_COMMAND_MS);
  return subscribeOn("REDIS_DURABLE_URL", redis, channels, onMessage, onResubscribed);
}

async function subscribeOn(
  setting: string,
  redis: RedisConnection,
  channels: string[],
  onMessage: (message: Buffer) => void,
  onResubscribed: () => void,
): Promise<Subscription> {
  redis.on("messageBuffer", (_channel: Buffer, message: Buffer) => onMessage(message));
  await redis.subscribe(...channels).catch((cause: unknown) => {
    redis.disconnect();
    throw new Error(`${setting}: the server does not answer SUBSCRIBE; allow it, or look into the server`, {
      cause,
    });
  });
  let subscribed = true;
  redis.on("close", () => {
    subscribed = false;
  });
  // Not `autoResubscribe`: ioredis does not catch the rejection when the server does not answer, which would
  // end the process.
  redis.on("ready", () => {
    redis.subscribe(...channels).then(
      () => {
        subscribed = true;
        onResubscribed();
      },
      () => redis.disconnect(true),
    );
  });
  return {
    connected: () => subscribed && redis.isProved,
    async [Symbol.asyncDispose]() {
      redis.disconnect();
    },
  };
}

type ConnectionOptions = {
  /** Commands of one turn of the event loop are sent in one write. Off by default. */
  autoPipelining?: boolean | undefined;
  /** Commands have no time limit of their own: they fail only with their connection. Off by default. */
  untimed?: boolean | undefined;
};

export type VolatileRedisOptions = ConnectionOptions &
  Partial<Omit<CheckOptions, "configUnreadable" | "silenceMaxMs">>;

/**
 * Returns a function that runs a Lua script atomically. The script is sent once and then called by its hash
 * (EVALSHA). The first `numberOfKeys` arguments of the function are KEYS of the script, the others are ARGV.
 * The function rejects when the command fails.
 */
export function script(
  redis: RedisConnection,
  { name, lua, numberOfKeys }: Script,
): (...args: (string | number)[]) => Promise<unknown> {
  redis.defineCommand(name, { lua, numberOfKeys });
  const commands = redis as unknown as Record<string, (...args: (string | number)[]) => Promise<unknown>>;
  return (...args) => commands[name]!(...args);
}

export type RedisConnection = RedisWithLiveness & AsyncDisposable;

export type VolatileConnection = VolatileRedis & AsyncDisposable;

/** `connected`: whether the channels are subscribed, on a connection that was proved lately. */
type Subscription = AsyncDisposable & { connected(): boolean };

export type DurableRedisConfig = { REDIS_DURABLE_URL: string; REDIS_COMMAND_MS: number };

/** `name` is unique on a connection: a second script of the same name replaces the first. */
type Script = { name: string; lua: string; numberOfKeys: number };
