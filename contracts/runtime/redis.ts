import { Redis, type RedisOptions } from "ioredis";
import * as z from "zod";
import { type CheckOptions, VolatileRedis, volatileCheckEveryMs } from "./volatile-redis.ts";

export const VolatileRedisConfig = z.object({
  REDIS_VOLATILE_URL: z.string().default("redis://127.0.0.1:6379"),
  /**
   * Managed servers often refuse CONFIG. `accept`: the operator answers for it that no snapshots are written.
   */
  REDIS_VOLATILE_CONFIG_UNREADABLE: z.enum(["refuse", "accept"]).default("refuse"),
  /** How long one command may take before it counts as failed. */
  REDIS_COMMAND_MS: z.coerce.number().int().min(50).max(10_000).default(1_000),
});
export type VolatileRedisConfig = z.infer<typeof VolatileRedisConfig>;

const connectMs = 2_000;
const reconnectAfterMaxMs = 500;

/**
 * One connection. Nothing waits in it while the server is away: a command fails at once, and the caller
 * decides. Throws one sentence that names the setting when the server cannot be reached at start.
 */
export async function connectRedis(
  setting: string,
  url: string,
  commandMs: number,
  manners: RedisManners = {},
): Promise<RedisConnection> {
  return open(setting, new Redis(url, optionsOf(commandMs, manners)));
}

/**
 * A connection to the volatile server. A server that persists, replicates or evicts is refused: pictures must
 * never reach a disk, and an answer that is evicted is an answer that is lost. Throws a sentence that says
 * what to mend. A server that becomes such a one later is not used until it is mended; the log says so.
 */
export async function connectVolatileRedis(
  config: VolatileRedisConfig,
  { gathers, log, everyMs = volatileCheckEveryMs, whileInUse = true }: VolatileRedisOptions = {},
): Promise<VolatileConnection> {
  const { REDIS_VOLATILE_URL, REDIS_VOLATILE_CONFIG_UNREADABLE, REDIS_COMMAND_MS } = config;
  const options = optionsOf(REDIS_COMMAND_MS, { gathers });
  const check = { configUnreadable: REDIS_VOLATILE_CONFIG_UNREADABLE, everyMs, whileInUse, log };
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

const optionsOf = (
  commandMs: number,
  { gathers = false }: RedisManners,
): Omit<RedisOptions, "replyMapping"> => ({
  lazyConnect: true,
  // RESP2 on purpose: every server from 6.2 on speaks it, and replies keep their plain types.
  protocol: 2,
  connectTimeout: connectMs,
  commandTimeout: commandMs,
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
  enableAutoPipelining: gathers,
  autoResubscribe: false,
  keepAlive: 10_000,
  noDelay: true,
  retryStrategy: (attempt) => Math.min(20 * attempt, reconnectAfterMaxMs),
});

async function open<R extends Redis>(setting: string, redis: R): Promise<R & AsyncDisposable> {
  // Each command's own failure is what callers act on; without a listener the event would end the process.
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
 * Listens to channels on a connection of its own, and again after every reconnect. What was published
 * meanwhile is gone: whoever needs all of it reads the state anew in `again`.
 */
export async function subscribe(
  config: VolatileRedisConfig,
  channels: string[],
  hear: (message: Buffer) => void,
  again: () => void = () => {},
): Promise<Subscription> {
  const redis = await connectRedis("REDIS_VOLATILE_URL", config.REDIS_VOLATILE_URL, config.REDIS_COMMAND_MS);
  return listen(redis, channels, hear, again);
}

/** Likewise, to channels of the durable server. */
export async function subscribeDurable(
  config: DurableRedisConfig,
  channels: string[],
  hear: (message: Buffer) => void,
  again: () => void,
): Promise<Subscription> {
  const redis = await connectRedis("REDIS_DURABLE_URL", config.REDIS_DURABLE_URL, config.REDIS_COMMAND_MS);
  return listen(redis, channels, hear, again);
}

async function listen(
  redis: RedisConnection,
  channels: string[],
  hear: (message: Buffer) => void,
  again: () => void,
): Promise<Subscription> {
  redis.on("messageBuffer", (_channel: Buffer, message: Buffer) => hear(message));
  await redis.subscribe(...channels);
  let listening = true;
  redis.on("close", () => {
    listening = false;
  });
  // ioredis would do this itself, and end the process where the server does not answer: nobody catches it
  // there.
  redis.on("ready", () => {
    redis.subscribe(...channels).then(
      () => {
        listening = true;
        again();
      },
      () => redis.disconnect(true),
    );
  });
  // A connection that is half open is only noticed when something is written to it.
  const alive = setInterval(() => void redis.ping().catch(() => redis.disconnect(true)), pingEveryMs);
  return {
    connected: () => listening,
    async [Symbol.asyncDispose]() {
      clearInterval(alive);
      redis.disconnect();
    },
  };
}

const pingEveryMs = 5_000;

/**
 * `gathers`: commands of one turn of the event loop go out together, which saves a busy process a write each.
 */
type RedisManners = { gathers?: boolean | undefined };

export type VolatileRedisOptions = RedisManners & Partial<Omit<CheckOptions, "configUnreadable">>;

/**
 * A Lua script as a function, which Redis runs as one step. It is sent once and called by its hash
 * afterwards. The first `numberOfKeys` of its arguments are its KEYS, the others its ARGV.
 */
export function script(
  redis: RedisConnection,
  { name, lua, numberOfKeys }: Script,
): (...given: (string | number)[]) => Promise<unknown> {
  redis.defineCommand(name, { lua, numberOfKeys });
  const commands = redis as unknown as Record<string, (...given: (string | number)[]) => Promise<unknown>>;
  return (...given) => commands[name]!(...given);
}

export type RedisConnection = Redis & AsyncDisposable;

type VolatileConnection = VolatileRedis & AsyncDisposable;

type Subscription = AsyncDisposable & { connected(): boolean };

export type DurableRedisConfig = { REDIS_DURABLE_URL: string; REDIS_COMMAND_MS: number };

/** `name` is its own on the connection: a second script of the same name takes its place. */
type Script = { name: string; lua: string; numberOfKeys: number };
