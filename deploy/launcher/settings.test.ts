import assert from "node:assert/strict";
import { test } from "node:test";
import { readLaunchOptions } from "./settings.ts";

test("by default there is one of each service, and a development key", () => {
  const { workers, batchers, ingress, devKey } = readLaunchOptions(["--workers", "1"], {});
  assert.deepEqual(
    { workers, batchers, ingress, devKey },
    { workers: 1, batchers: 1, ingress: 1, devKey: true },
  );
});

test("with REDIS_DURABLE_URL no development key is made, unless --dev-key is set", () => {
  const env = { REDIS_DURABLE_URL: "redis://elsewhere:6379" };
  assert.equal(readLaunchOptions([], env).devKey, false);
  assert.equal(readLaunchOptions(["--dev-key"], env).devKey, true);
});

test("--engine overrides ENGINE", () => {
  assert.equal(readLaunchOptions(["--engine", "model:40+2b"], {}).engine, "model:40+2b");
  assert.equal(readLaunchOptions([], {}).engine, undefined);
});

test("counts outside their bounds are rejected with a sentence", () => {
  assert.throws(() => readLaunchOptions(["--workers", "17"], {}), {
    message: "--workers must be a whole number from 1 to 16.",
  });
  assert.throws(() => readLaunchOptions(["--ingress", "two"], {}), {
    message: "--ingress must be a whole number from 1 to 16.",
  });
  assert.throws(() => readLaunchOptions(["--wrokers", "2"], {}), /Unknown option '--wrokers'/);
});

test("tasks and batches must be retained longer than the longest deadline", () => {
  const read = (minutes: string, DEADLINE_MAX_MS?: string) =>
    readLaunchOptions([], { TOPIC_RETENTION_MINUTES: minutes, DEADLINE_MAX_MS });
  assert.equal(read("3").TOPIC_RETENTION_MINUTES, 3);
  assert.throws(() => read("10", "600000"), /TOPIC_RETENTION_MINUTES: must exceed DEADLINE_MAX_MS by 10 s/);
  assert.equal(read("61", "3600000").TOPIC_RETENTION_MINUTES, 61);
});

test("all wrong settings are named together, and an empty one counts as unset", () => {
  assert.equal(readLaunchOptions([], { PORT: "" }).PORT, 8080);
  assert.throws(
    () => readLaunchOptions([], { PORT: "http", KAFKA_PORT: "99999" }),
    (fault: Error) => fault.message.includes("PORT") && fault.message.includes("KAFKA_PORT"),
  );
});

test("no more replicas can be required to have a message than there are", () => {
  const read = (TOPIC_MIN_INSYNC_REPLICAS: string, TOPIC_REPLICATION_FACTOR?: string) =>
    readLaunchOptions([], { TOPIC_MIN_INSYNC_REPLICAS, TOPIC_REPLICATION_FACTOR });
  assert.equal(read("2", "3").TOPIC_MIN_INSYNC_REPLICAS, 2);
  assert.throws(() => read("4", "3"), /TOPIC_MIN_INSYNC_REPLICAS: must not exceed TOPIC_REPLICATION_FACTOR/);
});

test("--observe opens operators' ports, and refuses an environment that sends its spans elsewhere", () => {
  assert.deepEqual(
    [[], ["--observe"]].map((args) => readLaunchOptions(args, {}).OPERATORS_PORT),
    [undefined, 9464],
  );
  assert.equal(readLaunchOptions(["--observe"], { OPERATORS_PORT: "7000" }).OPERATORS_PORT, 7000);
  assert.throws(
    () => readLaunchOptions(["--observe"], { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }),
    {
      message:
        "--observe shows the traces itself: unset OTEL_EXPORTER_OTLP_ENDPOINT, or start without --observe.",
    },
  );
});
