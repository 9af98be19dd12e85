import assert from "node:assert/strict";
import { test } from "node:test";
import { serverPorts } from "./servers.ts";
import { readLaunchOptions } from "./settings.ts";

test("a server with an address in the settings needs no port", () => {
  const ports = serverPorts(
    readLaunchOptions([], { KAFKA_BROKERS: "kafka:9092", REDIS_VOLATILE_URL: "redis://r:1" }),
  );
  assert.deepEqual(
    ports.map(({ setting }) => setting),
    ["REDIS_DURABLE_PORT"],
  );
});
