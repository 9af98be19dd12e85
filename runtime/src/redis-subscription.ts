import {
  addressSettingOf,
  connectDurableRedis,
  connectRedis,
  type DurableRedisConfig,
  firstCommandFault,
  type RedisConnection,
  type VolatileServer,
  volatileLogin,
} from "./redis.ts";

/**
 * Subscribes to channels on a separate connection, and again after every reconnect. Messages published in
 * between are lost: a caller that cannot lose any reads the state again in `onResubscribed`. Throws an error
 * that names the setting when the first connection fails.
 */
export async function subscribe(
  config: VolatileServer,
  channels: string[],
  onMessage: (message: Buffer) => void,
  onResubscribed: () => void = () => {},
): Promise<Subscription> {
  const { REDIS_VOLATILE_URL: url, REDIS_COMMAND_MS } = config;
  const setting = addressSettingOf(config);
  const redis = await connectRedis(setting, url, REDIS_COMMAND_MS, {
    ...volatileLogin(config),
    purpose: "subscription",
  });
  return subscribeOn(setting, redis, channels, onMessage, onResubscribed);
}

/** The same as `subscribe`, for channels of the durable server. */
export async function subscribeDurable(
  config: DurableRedisConfig,
  channels: string[],
  onMessage: (message: Buffer) => void,
  onResubscribed: () => void,
): Promise<Subscription> {
  const redis = await connectDurableRedis(config, "subscription");
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
    throw firstCommandFault(setting, "SUBSCRIBE", cause);
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
  const connected = () => subscribed && redis.isResponsive;
  return {
    connected,
    isHealthy: () => connected() || redis.isStarved,
    async [Symbol.asyncDispose]() {
      redis.disconnect();
    },
  };
}

type Subscription = AsyncDisposable & {
  /** Whether the channels are subscribed, on a connection that answered lately. */
  connected(): boolean;
  /** False while it is not connected and the server is to blame. */
  isHealthy(): boolean;
};
