import { type KafkaSettings, plainLogin } from "../launcher/kafka-broker.ts";
import type { RedisRights } from "../launcher/redis-users.ts";

// For compose.production.yaml.

/** The brokers of compose.production.yaml, by the names of their services. */
export const brokers = ["kafka", "kafka-2", "kafka-3"];

/**
 * Returns the settings of one of three brokers, over those of a single one: each is a controller too, and all
 * of their links are encrypted. The certificate has the names of all services.
 */
export function brokerOfThree(
  name: string,
  { port, controllerPort, login, peer }: ClusterLogins,
): KafkaSettings {
  const voters = brokers.map((each, index) => `${index + 1}@${each}:${controllerPort}`);
  return {
    "node.id": brokers.indexOf(name) + 1,
    listeners: `CLIENTS://0.0.0.0:${port},CONTROLLER://0.0.0.0:${controllerPort}`,
    "advertised.listeners": `CLIENTS://${name}:${port}`,
    "listener.security.protocol.map": "CLIENTS:SASL_SSL,CONTROLLER:SASL_SSL",
    "controller.quorum.voters": voters.join(),
    "listener.name.clients.plain.sasl.jaas.config": plainLogin(peer, [peer, login]),
    "listener.name.controller.plain.sasl.jaas.config": plainLogin(peer, [peer]),
    "ssl.keystore.type": "PEM",
    "ssl.keystore.location": "/run/secrets/kafka.pem",
    "ssl.truststore.type": "PEM",
    "ssl.truststore.location": "/run/secrets/ca.pem",
    "default.replication.factor": brokers.length,
    "min.insync.replicas": 2,
    "offsets.topic.replication.factor": brokers.length,
    "transaction.state.log.replication.factor": brokers.length,
    "transaction.state.log.min.isr": 2,
    "share.coordinator.state.topic.replication.factor": brokers.length,
    "share.coordinator.state.topic.min.isr": 2,
    // Kafka's own default: other controllers measure their lag by it.
    "metadata.max.idle.interval.ms": 500,
  };
}

/** Settings of a Redis server that accepts TLS alone. */
export const redisTls = {
  "tls-port": "6379",
  port: "0",
  "tls-cert-file": "/run/secrets/server.pem",
  "tls-key-file": "/run/secrets/server.key",
  "tls-ca-cert-file": "/run/secrets/ca.pem",
  "tls-auth-clients": "no",
};

/** User name with which the replica reads the durable Redis. */
export const replicaUser = "replica";
export const replicaRights: RedisRights = {
  keys: [],
  channels: [],
  commands: ["psync", "replconf", "ping"],
};

/** Settings of the replica of the durable Redis, which nobody writes to. */
export const replicaSettings = (password: string) => ({
  "tls-replication": "yes",
  replicaof: "redis-durable 6379",
  masteruser: replicaUser,
  masterauth: password,
});

type Login = { user: string; password: string };
/** `login`: of the clients. `peer`: of the brokers among themselves. */
type ClusterLogins = { port: number; controllerPort: number; login: Login; peer: Login };
