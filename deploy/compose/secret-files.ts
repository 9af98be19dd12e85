import { newApiKey } from "@faceline/accounts/keys/api-keys";
import { brokerSettings, type KafkaSettings, newClusterId } from "../launcher/kafka-broker.ts";
import { durableSettings, redisConfiguration, volatileSettings } from "../launcher/redis-server.ts";
import { durableUsers, type RedisRights, volatileUsers } from "../launcher/redis-users.ts";
import { newPassword } from "../launcher/secrets.ts";
import { kafkaUser } from "../launcher/server-access.ts";
import {
  brokerOfThree,
  brokers,
  redisTls,
  replicaRights,
  replicaSettings,
  replicaUser,
} from "./production-files.ts";

/**
 * Returns the files of secrets of a compose, by their names: a password for each user of each server, the
 * configuration of the servers with these users, the operators' token and the first API key. `present` reads
 * what an earlier call made: passwords stay, and configurations are written again. `production`: for
 * compose.production.yaml; the certificates are not among them.
 */
export function secretFiles(
  present: (name: string) => string | undefined,
  { production = false } = {},
): Record<string, string> {
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
  const network = { bind: "* -::*", dir: "/data", ...(production ? redisTls : { port: redisPort }) };
  const volatile = usersOf("redis-volatile", volatileUsers);
  const replica = production ? { [replicaUser]: replicaRights } : {};
  const durable = usersOf("redis-durable", { ...durableUsers, ...replica });
  const kafka = {
    port: kafkaPort,
    controllerPort: kafkaControllerPort,
    login: { user: kafkaUser, password: keep(`kafka-${kafkaUser}`, newPassword) },
    addresses: { listen: "0.0.0.0", advertised: "kafka" },
  };
  const properties: Record<string, KafkaSettings> = { kafka: brokerSettings(kafka) };
  if (production) {
    const peer = { user: "broker", password: keep("kafka-broker", newPassword) };
    for (const name of brokers) {
      properties[name] = { ...properties["kafka"], ...brokerOfThree(name, { ...kafka, peer }) };
    }
  }
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
    ...(production && {
      "redis-durable-replica.conf": redisConfiguration(
        {
          ...network,
          ...durableSettings,
          ...replicaSettings(secrets[`redis-durable-${replicaUser}`]!.trim()),
        },
        durable,
      ),
    }),
    ...Object.fromEntries(
      Object.entries(properties).map(([name, settings]) => [`${name}.properties`, linesOf(settings)]),
    ),
  };
}

/** Files that the operator brings: certificates.sh makes them. */
export const certificates = ["kafka.pem", "server.pem", "server.key", "ca.pem"];

/**
 * Files of secrets that each service of the compose may read, in /run/secrets. `NAME=FILE` where it has
 * another name there.
 */
export function filesByService({ production = false } = {}): Record<string, string[]> {
  const tls = (...own: string[]) => (production ? [...own, "ca.pem"] : []);
  const client = ["kafka-faceline", "operators-token", ...tls()];
  const redis = tls("server.pem", "server.key");
  const kafka = ["kafka-cluster-id", ...tls("kafka.pem")];
  return {
    kafka: ["kafka.properties", ...kafka],
    "redis-volatile": ["redis-volatile.conf", ...redis],
    "redis-durable": ["redis-durable.conf", ...redis],
    "set-up": [...client, "redis-durable-keys", "first-api-key"],
    batcher: [...client, "redis-volatile-batcher"],
    inference: [...client, "redis-volatile-inference"],
    ingress: [...client, "redis-volatile-ingress", "redis-durable-ingress"],
    keys: ["redis-durable-keys", ...tls()],
    prometheus: ["operators-token"],
    grafana: ["grafana-admin"],
    ...(production && {
      "kafka-2": ["kafka.properties=kafka-2.properties", ...kafka],
      "kafka-3": ["kafka.properties=kafka-3.properties", ...kafka],
      "redis-durable-replica": ["redis-durable-replica.conf", ...redis],
    }),
  };
}

const linesOf = (settings: KafkaSettings): string =>
  Object.entries({ ...settings, "log.dirs": "/var/lib/kafka/data" })
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");

/** Memory of the volatile Redis; compose.yaml gives the container more. */
const volatileMemoryMib = 1024;
const redisPort = "6379";
const kafkaPort = 9092;
const kafkaControllerPort = 9093;
