import { kafkaAttributes } from "@faceline/runtime/metrics/kafka-metrics";
import { redisAttributes } from "@faceline/runtime/metrics/redis-metrics";
import type { SpanServers } from "./call/call-spans.ts";

/** Returns what spans say of the servers of calls. `id`: the one by which Kafka knows this process. */
export function spanServers(config: Settings, id: string): SpanServers {
  const shared = attributesOf(config.REDIS_VOLATILE_URL);
  const own = new Map([...config.POOL_REDIS_VOLATILE_URLS].map(([pool, url]) => [pool, attributesOf(url)]));
  return {
    http: httpAttributes(config.PUBLIC_URL),
    kafka: { ...kafkaAttributes(config), "messaging.client.id": id },
    redis: (pool) => own.get(pool) ?? shared,
  };
}

function attributesOf(redisUrl: string): SpanServers["http"] {
  const url = URL.parse(redisUrl);
  // A pool with a wrong address is left out, and its connection says why.
  if (url === null) return { "db.system.name": "redis" };
  const host = url.hostname.replaceAll(/[[\]]/g, "");
  return redisAttributes({ host, port: Number(url.port || 6379), db: Number(url.pathname.slice(1)) || 0 });
}

/** The address of PUBLIC_URL, and no port if it is that of the scheme. */
function httpAttributes(publicUrl: string): SpanServers["http"] {
  const url = URL.parse(publicUrl);
  if (url === null) return {};
  return {
    "server.address": url.hostname,
    ...(url.port === "" ? {} : { "server.port": Number(url.port) }),
  };
}

type Settings = {
  KAFKA_BROKERS: string;
  REDIS_VOLATILE_URL: string;
  POOL_REDIS_VOLATILE_URLS: ReadonlyMap<string, string>;
  PUBLIC_URL: string;
};
