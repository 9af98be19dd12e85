import assert from "node:assert/strict";
import test from "node:test";
import { spanServers } from "./span-servers.ts";

test("spans name servers as they are configured: without user, password or a usual port", () => {
  const { http, kafka, redis } = spanServers(
    {
      KAFKA_BROKERS: "kafka-1:9092,kafka-2:9092",
      REDIS_VOLATILE_URL: "redis://ingress:secret@redis-1:6379",
      POOL_REDIS_VOLATILE_URLS: new Map([
        ["second", "rediss://[::1]:7000/2"],
        ["third", "no address"],
      ]),
      PUBLIC_URL: "https://faces.example:8443/",
    },
    "ingress-1",
  );
  assert.deepEqual(http, { "server.address": "faces.example", "server.port": 8_443 });
  assert.deepEqual(Object.values(kafka), ["kafka", "kafka-1", 9_092, "ingress-1"]);
  const shared = { "db.system.name": "redis", "db.namespace": "0", "server.address": "redis-1" };
  assert.deepEqual(redis("default"), shared);
  assert.deepEqual(Object.values(redis("second")), ["redis", "2", "::1", 7_000]);
  assert.deepEqual(redis("third"), { "db.system.name": "redis" });
});

test("without PUBLIC_URL nothing is known of the server but what clients say", () => {
  const config = { KAFKA_BROKERS: "k:1", REDIS_VOLATILE_URL: "redis://r", PUBLIC_URL: "" };
  assert.deepEqual(spanServers({ ...config, POOL_REDIS_VOLATILE_URLS: new Map() }, "ingress-1").http, {});
});
