import { newApiKey } from "@faceline/contracts/runtime/api-keys";
import { brokerSettings, newClusterId } from "../launcher/kafka-broker.ts";
import { durableSettings, redisConfiguration, volatileSettings } from "../launcher/redis-server.ts";
import { durableUsers, type RedisRights, volatileUsers } from "../launcher/redis-users.ts";
import { newPassword } from "../launcher/secrets.ts";
import { kafkaUser } from "../launcher/server-access.ts";

/**
 * Returns the files of secrets of a compose, by their names: a password for each user of each server, the
 * configuration of the servers with these users, the operators' token and the first API key. `present` reads
 * what an earlier call made: passwords stay, and configurations are made anew from them.
 */
export function secretFiles(present: (name: string) => string | undefined): Record<string, string> {
  const secrets: Record<string, string> = {};
  const keep = (name: string, make: () => string): string => {
    const value = present(name) || make();
    secrets[name] = `${value}\n`;
    return value;
  };
  const usersOf = (server: string, rights: Record<string, RedisRights>) =>
    Object.entries(rights).map(([user, rights]) => ({
      user,
      password: keep(`${server}-${user}`, newPassword),
      rights,
    }));
  const network = { bind: "* -::*", port: `${redisPort}`, dir: "/data" };
  const volatile = usersOf("redis-volatile", volatileUsers);
  const durable = usersOf("redis-durable", durableUsers);
  const kafka = brokerSettings({
    port: kafkaPort,
    controllerPort: kafkaControllerPort,
    login: { user: kafkaUser, password: keep(`kafka-${kafkaUser}`, newPassword) },
    addresses: { listen: "0.0.0.0", advertised: "kafka" },
  });
  keep("kafka-cluster-id", newClusterId);
  keep("operators-token", newPassword);
  keep("grafana-admin", newPassword);
  keep("first-api-key", newApiKey);
  return {
    ...secrets,
    "redis-volatile.conf": redisConfiguration(
      { ...network, ...volatileSettings(volatileMemoryMib) },
      volatile,
    ),
    "redis-durable.conf": redisConfiguration({ ...network, ...durableSettings }, durable),
    "kafka.properties": Object.entries({ ...kafka, "log.dirs": "/var/lib/kafka/data" })
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  };
}

/** As in compose.yaml, which gives the container more. */
const volatileMemoryMib = 1024;
const redisPort = 6379;
const kafkaPort = 9092;
const kafkaControllerPort = 9093;
