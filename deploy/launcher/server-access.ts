import type { DurableUser, VolatileUser } from "./redis-users.ts";
import { passwordFile } from "./secrets.ts";
import type { LauncherConfig } from "./settings.ts";

/**
 * Returns the settings with which each process reaches Kafka and the Redis servers. Servers with an address
 * in the operator's settings are used with those settings; for the others, a process gets a user of its own
 * and the file with that user's password.
 */
export const serverAccess = (config: LauncherConfig, secrets: string): ServerAccess => ({
  ingress: {
    ...kafkaAccess(config, secrets),
    ...volatileAccess(config, secrets, "ingress"),
    ...durableAccess(config, secrets, "ingress"),
  },
  batcher: { ...kafkaAccess(config, secrets), ...volatileAccess(config, secrets, "batcher"), ...noDurable },
  inference: {
    ...kafkaAccess(config, secrets),
    ...volatileAccess(config, secrets, "inference"),
    ...noDurable,
  },
  launcher: { ...kafkaAccess(config, secrets), ...durableAccess(config, secrets, "keys") },
});

/** They read none of it, so they need no password that the operator's environment may hold. */
const noDurable = { REDIS_DURABLE_URL: "", REDIS_DURABLE_PASSWORD_FILE: "" };

/** The one user of the broker that `npm start` starts. */
export const kafkaUser = "faceline";

export function kafkaAccess(config: LauncherConfig, secrets: string): NodeJS.ProcessEnv {
  if (config.KAFKA_BROKERS !== undefined) return { KAFKA_BROKERS: config.KAFKA_BROKERS };
  return {
    KAFKA_BROKERS: `127.0.0.1:${config.KAFKA_PORT}`,
    KAFKA_TLS: "off",
    KAFKA_SASL_MECHANISM: "plain",
    KAFKA_SASL_USERNAME: kafkaUser,
    KAFKA_SASL_PASSWORD_FILE: passwordFile(secrets, "kafka", kafkaUser),
  };
}

export function volatileAccess(
  config: LauncherConfig,
  secrets: string,
  user: VolatileUser | TestUser,
): NodeJS.ProcessEnv {
  if (config.REDIS_VOLATILE_URL !== undefined) return { REDIS_VOLATILE_URL: config.REDIS_VOLATILE_URL };
  return {
    REDIS_VOLATILE_URL: `redis://${user}@127.0.0.1:${config.REDIS_VOLATILE_PORT}`,
    REDIS_VOLATILE_PASSWORD_FILE: passwordFile(secrets, "redis-volatile", user),
  };
}

export function durableAccess(
  config: LauncherConfig,
  secrets: string,
  user: DurableUser | TestUser,
): NodeJS.ProcessEnv {
  if (config.REDIS_DURABLE_URL !== undefined) return { REDIS_DURABLE_URL: config.REDIS_DURABLE_URL };
  return {
    REDIS_DURABLE_URL: `redis://${user}@127.0.0.1:${config.REDIS_DURABLE_PORT}`,
    REDIS_DURABLE_PASSWORD_FILE: passwordFile(secrets, "redis-durable", user),
  };
}

/** A user of test runs and benches, who may do everything. */
export const testUser = "test";
type TestUser = typeof testUser;

export type ServerAccess = Record<"ingress" | "batcher" | "inference" | "launcher", NodeJS.ProcessEnv>;
