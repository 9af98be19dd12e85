import type { RedisOptions } from "ioredis";
import * as z from "zod";
import { connectFault, ServerUnreachable } from "./connect-fault.ts";
import { FileContent } from "./file-setting.ts";
import { RedisWithLiveness } from "./redis-liveness.ts";
import { type TlsFiles, tlsOptions } from "./tls-options.ts";
import { type CheckOptions, kindFault, VolatileRedis, volatileCheckEveryMs } from "./volatile-redis.ts";

/** TLS settings of every server whose address begins with `rediss://`. */
const RedisTlsConfig = z.object({
  /** Certificates to trust in place of Node's own list. */
  REDIS_TLS_CA_FILE: FileContent.optional(),
  /** Certificate and private key of this client, if the server asks for one. */
  REDIS_TLS_CERTIFICATE_FILE: FileContent.optional(),
  REDIS_TLS_KEY_FILE: FileContent.optional(),
});

const isRedisUrl = (url: string): boolean => URL.canParse(url) && /^rediss?:\/\//i.test(url);
const redisUrlRule = "must be redis://user@host:port, or rediss:// for TLS";
export const RedisUrl = z.string().refine(isRedisUrl, redisUrlRule);

export const VolatileRedisConfig = z.object({
  ...RedisTlsConfig.shape,
  REDIS_VOLATILE_URL: RedisUrl.default("redis://127.0.0.1:6379"),
  /** Password of the user in that address. */
  REDIS_VOLATILE_PASSWORD_FILE: FileContent.optional(),
  /**
   * Managed servers often refuse CONFIG. `accept`: the operator guarantees that the server writes no
   * snapshots.
   */
  REDIS_VOLATILE_CONFIG_UNREADABLE: z.enum(["refuse", "accept"]).default("refuse"),
  /**
   * Timeout of a command. A connection that is silent for this long while a reply is due is closed and
   * reopened.
   */
  REDIS_COMMAND_MS: z.coerce.number().int().min(50).max(10_000).default(1_000),
});
export type VolatileRedisConfig = z.infer<typeof VolatileRedisConfig>;

/** A volatile server. Errors name the setting that its address is from: REDIS_VOLATILE_URL by default. */
export type VolatileServer = VolatileRedisConfig & { addressSetting?: string };

export const addressSettingOf = ({ addressSetting = "REDIS_VOLATILE_URL" }: VolatileServer): string =>
  addressSetting;

export const DurableRedisConfig = z.object({
  ...RedisTlsConfig.shape,
  REDIS_DURABLE_URL: RedisUrl.default("redis://127.0.0.1:6380"),
  /** Password of the user in that address. */
  REDIS_DURABLE_PASSWORD_FILE: FileContent.optional(),
  REDIS_COMMAND_MS: VolatileRedisConfig.shape.REDIS_COMMAND_MS,
});
export type DurableRedisConfig = z.infer<typeof DurableRedisConfig>;

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
  const { address, tls } = login(setting, url, options);
  const liveness = { name: nameOf(setting, options), silenceMaxMs: commandMs };
  return open(
    setting,
    new RedisWithLiveness(address, { ...clientOptions(commandMs, options), ...tls }, liveness),
  );
}

/**
 * Returns a connected client of the server of API keys and team limits. Throws like `connectRedis`, and a
 * sentence if the server is no single master: scripts write several keys at once.
 */
export async function connectDurableRedis(
  config: DurableRedisConfig,
  purpose?: Purpose,
): Promise<RedisConnection> {
  const { REDIS_DURABLE_URL, REDIS_DURABLE_PASSWORD_FILE: password, REDIS_COMMAND_MS } = config;
  const redis = await connectRedis("REDIS_DURABLE_URL", REDIS_DURABLE_URL, REDIS_COMMAND_MS, {
    password,
    purpose,
    ...tlsFiles(config),
  });
  // A server that refuses INFO is accepted.
  const info = await redis.info().catch(() => "");
  const fault =
    kindFault(info) ??
    (/^role:slave/m.test(info) ? "this is a replica: write the address of its master" : undefined);
  if (fault === undefined) return redis;
  redis.disconnect();
  throw new Error(`REDIS_DURABLE_URL: ${fault}`);
}

/**
 * Returns a client of the volatile server. Refuses a server that persists, replicates or evicts: images must
 * never reach a disk, and an evicted answer is lost. Throws an error that says which settings of the server
 * to correct. If the server starts to persist, replicate or evict later, the client rejects commands and logs
 * an error until the server is corrected.
 */
export async function connectVolatileRedis(
  config: VolatileServer,
  { untimed, log, everyMs = volatileCheckEveryMs, whileInUse = true }: VolatileRedisOptions = {},
): Promise<VolatileConnection> {
  const { REDIS_VOLATILE_URL, REDIS_VOLATILE_CONFIG_UNREADABLE, REDIS_COMMAND_MS } = config;
  const setting = addressSettingOf(config);
  const { address, tls } = login(setting, REDIS_VOLATILE_URL, volatileLogin(config));
  const options = { ...clientOptions(REDIS_COMMAND_MS, { untimed }), ...tls };
  const check = {
    name: nameOf(setting, { purpose: untimed ? "images" : undefined }),
    configUnreadable: REDIS_VOLATILE_CONFIG_UNREADABLE,
    everyMs,
    whileInUse,
    log,
    silenceMaxMs: REDIS_COMMAND_MS,
  };
  const redis = await open(setting, new VolatileRedis(address, options, check));
  const faults = await redis.check().catch((cause: unknown) => {
    redis.disconnect();
    throw firstCommandFault(setting, "INFO and CONFIG GET", cause);
  });
  if (faults.length > 0) {
    redis.disconnect();
    throw new Error(`${setting}: this server may not hold images: ${faults.join("; ")}`);
  }
  redis.keepChecking();
  return redis;
}

const tlsFiles = (config: z.infer<typeof RedisTlsConfig>): TlsFiles => ({
  ca: config.REDIS_TLS_CA_FILE,
  certificate: config.REDIS_TLS_CERTIFICATE_FILE,
  key: config.REDIS_TLS_KEY_FILE,
});

export const volatileLogin = (config: VolatileRedisConfig): Login => ({
  password: config.REDIS_VOLATILE_PASSWORD_FILE,
  ...tlsFiles(config),
});

/**
 * Returns the address with the password, and the TLS options of a `rediss://` address. Throws a sentence when
 * the address cannot be parsed or has a password of its own.
 */
function login(setting: string, url: string, { password, ...files }: Login) {
  if (!isRedisUrl(url)) throw new Error(`${setting}: ${redisUrlRule}`);
  const parsed = new URL(url);
  const tls =
    parsed.protocol === "rediss:" ? { tls: tlsOptions(parsed.hostname.replaceAll(/[[\]]/g, ""), files) } : {};
  if (password === undefined) return { address: url, tls };
  if (parsed.password !== "") {
    const file = setting.replace("_URL", "_PASSWORD_FILE");
    throw new Error(`${setting}: the password is in it and in ${file}; leave one of them out`);
  }
  parsed.password = encodeURIComponent(password);
  return { address: parsed.href, tls };
}

const clientOptions = (
  commandMs: number,
  { untimed = false }: ReplyOptions,
): Omit<RedisOptions, "replyMapping"> => ({
  lazyConnect: true,
  // RESP2: every server since 6.2 supports it, and replies keep their plain types.
  protocol: 2,
  connectTimeout: connectMs,
  // A silent server does not confirm the end of a connection either.
  disconnectTimeout: disconnectMs,
  ...(untimed ? {} : { commandTimeout: commandMs }),
  // When a connection is closed its commands fail at once.
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResubscribe: false,
  // CLIENT SETINFO: servers before 7.2 do not know it, and users of an ACL need no right to it.
  disableClientInfo: true,
  keepAlive: 10_000,
  noDelay: true,
  retryStrategy: (attempt) => Math.min(20 * attempt, reconnectAfterMaxMs),
});

async function open<R extends RedisWithLiveness>(setting: string, redis: R): Promise<R & AsyncDisposable> {
  let fault: unknown;
  // Callers handle the failure of each command. Without a listener, the event would end the process.
  redis.on("error", (error) => {
    fault = error;
  });
  try {
    await redis.connect();
  } catch (cause) {
    redis.disconnect();
    const tls = redis.options.tls === undefined ? "has TLS, write rediss://" : "has no TLS, write redis://";
    // ioredis gives the reason in the event, and rejects with "Connection is closed".
    throw connectFault(fault ?? cause, {
      address: setting,
      login: `${setting} or ${setting.replace("_URL", "_PASSWORD_FILE")}`,
      ca: "REDIS_TLS_CA_FILE",
      certificate: "REDIS_TLS_CERTIFICATE_FILE and REDIS_TLS_KEY_FILE",
      unreachable: "no Redis server accepts us there",
      remedy: `start one, or correct the address or the password; if the server there ${tls}`,
    });
  }
  return Object.assign(redis, {
    async [Symbol.asyncDispose]() {
      redis.disconnect();
    },
  });
}

/** Whether a command failed because the server cannot be reached, not because of what it replied. */
export const isConnectionFailure = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === "MaxRetriesPerRequestError" ||
    /^(Connection is closed|Command timed out|Command aborted|Stream isn't writeable)|: there is no connection$/.test(
      error.message,
    ));

/** The error of a starting service whose first `commands` on a connection failed. */
export function firstCommandFault(setting: string, commands: string, cause: unknown): Error {
  const Fault = isConnectionFailure(cause) ? ServerUnreachable : Error;
  return new Fault(`${setting}: the server does not answer ${commands}; allow it, or look into the server`, {
    cause,
  });
}

type ReplyOptions = {
  /** Commands have no time limit of their own: they fail only with their connection. Off by default. */
  untimed?: boolean | undefined;
};

type ConnectionOptions = ReplyOptions & Login & { purpose?: Purpose | undefined };

/** Purpose of a connection; commands by default. */
type Purpose = "commands" | "images" | "subscription";

/** The name of a connection in the log. */
const nameOf = (setting: string, { purpose = "commands" }: { purpose?: Purpose | undefined }): string =>
  `${setting}, ${purpose}`;

type Login = TlsFiles & { password?: string | undefined };

export type VolatileRedisOptions = ReplyOptions &
  Partial<Omit<CheckOptions, "configUnreadable" | "name" | "silenceMaxMs">>;

/**
 * Returns a function that runs a Lua script atomically. The script is sent once and then called by its hash
 * (EVALSHA). The first `numberOfKeys` arguments of the function are KEYS of the script, the others are ARGV.
 * The function rejects when the command fails.
 */
export function script(
  redis: RedisConnection,
  { name, lua, numberOfKeys }: Script,
): (...args: (string | number)[]) => Promise<unknown> {
  const commands = redis as unknown as Record<string, (...args: (string | number)[]) => Promise<unknown>>;
  // A command that is redefined sends the whole script again.
  if (commands[name] === undefined) redis.defineCommand(name, { lua, numberOfKeys });
  return (...args) => commands[name]!(...args);
}

export type RedisConnection = RedisWithLiveness & AsyncDisposable;

export type VolatileConnection = VolatileRedis & AsyncDisposable;

/** `name` is unique on a connection, and no command of Redis has it. */
type Script = { name: string; lua: string; numberOfKeys: number };
