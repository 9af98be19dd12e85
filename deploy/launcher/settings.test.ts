import assert from "node:assert/strict";
import { test } from "node:test";
import { javaMajor } from "./java.ts";
import { isRecent } from "./redis-binary.ts";
import { serverPorts } from "./servers.ts";
import { readLaunch } from "./settings.ts";

test("one of each, and a development key", () => {
  const { workers, batchers, ingress, devKey } = readLaunch(["--workers", "1"], {});
  assert.deepEqual(
    { workers, batchers, ingress, devKey },
    { workers: 1, batchers: 1, ingress: 1, devKey: true },
  );
});

test("a durable Redis that is given holds keys of its own: none is made, unless asked for", () => {
  const env = { REDIS_DURABLE_URL: "redis://elsewhere:6379" };
  assert.equal(readLaunch([], env).devKey, false);
  assert.equal(readLaunch(["--dev-key"], env).devKey, true);
});

test("an engine that is asked for stands above what ENGINE says", () => {
  assert.equal(readLaunch(["--engine", "model:40+2b"], {}).engine, "model:40+2b");
  assert.equal(readLaunch([], {}).engine, undefined);
});

test("counts outside their bounds are refused in a sentence", () => {
  assert.throws(() => readLaunch(["--workers", "17"], {}), {
    message: "--workers must be a whole number from 1 to 16.",
  });
  assert.throws(() => readLaunch(["--ingress", "two"], {}), {
    message: "--ingress must be a whole number from 1 to 16.",
  });
  assert.throws(() => readLaunch(["--wrokers", "2"], {}), /Unknown option '--wrokers'/);
});

test("wrong settings are named together, and an empty one counts as unset", () => {
  assert.equal(readLaunch([], { PORT: "" }).PORT, 8080);
  assert.throws(
    () => readLaunch([], { PORT: "http", KAFKA_PORT: "99999" }),
    (fault: Error) => fault.message.includes("PORT") && fault.message.includes("KAFKA_PORT"),
  );
});

test("no port is wanted for a server that is given", () => {
  const wanted = serverPorts(
    readLaunch([], { KAFKA_BROKERS: "kafka:9092", REDIS_VOLATILE_URL: "redis://r:1" }),
  );
  assert.deepEqual(
    wanted.map(({ setting }) => setting),
    ["REDIS_DURABLE_PORT"],
  );
});

test("the version of a Java is read, old and new", () => {
  assert.equal(javaMajor('openjdk version "17.0.15" 2025-04-15'), 17);
  assert.equal(javaMajor('openjdk version "21" 2023-09-19'), 21);
  assert.equal(javaMajor('java version "1.8.0_392"'), 8);
  assert.equal(javaMajor("something else"), undefined);
});

test("Redis is recent from 6.2 on", () => {
  assert.deepEqual(["5.0.14", "6.0.16", "6.2.6", "7.0.15", "8.0.1"].map(isRecent), [
    false,
    false,
    true,
    true,
    true,
  ]);
});
