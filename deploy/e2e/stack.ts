import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { readConfig } from "@faceline/contracts/runtime/config";
import { KafkaConfig } from "@faceline/contracts/runtime/kafka";
import { newDevKey, storeKey } from "../launcher/dev-key.ts";
import { freePorts } from "../launcher/ports.ts";
import type { ServerUrls } from "../launcher/servers.ts";
import { Services } from "../launcher/services.ts";
import { LauncherConfig, limitsOf } from "../launcher/settings.ts";
import { createTopics, deleteTopics, topicOptions } from "../launcher/topics.ts";
import { caller, type Post } from "./caller.ts";

/**
 * A whole Faceline for one test, on the broker and the Redis servers of the run: its own pool, ports and key. It stops
 * with the test.
 *
 *     const { post, services } = await stack(t, { workers: 2 });
 *     services.find("inference-2").kill("SIGKILL");
 */
export async function stack(t: Pick<TestContext, "after">, options: StackOptions = {}): Promise<Stack> {
  const { workers = 1, batchers = 1, ingress = 1, settings = {} } = options;
  const env = { ...process.env, LOG_LEVEL: "info", ...settings };
  const config = readConfig(LauncherConfig, env);
  const urls = urlsOf(config);
  const kafka = readConfig(KafkaConfig, env);
  const unhurried = new AbortController().signal;

  const pool = `test-${randomBytes(6).toString("hex")}`;
  await createTopics(kafka, topicOptions(config, pool, unhurried));
  const key = newDevKey();
  await storeKey(urls.REDIS_DURABLE_URL, key, pool);

  const logs = mkdtempSync(join(process.env["FACELINE_TEST_RUN"] ?? tmpdir(), `stack-`));
  const events: string[] = [];
  const services = new Services(
    {
      counts: { workers, batchers, ingress },
      urls,
      pool,
      host: "127.0.0.1",
      ports: await freePorts(ingress),
      threads: config.INTRA_OP_THREADS,
      environment: env,
    },
    {
      ...limitsOf(config),
      logs,
      say: (line) => void events.push(line),
      heard: () => {},
      stop: unhurried,
      force: unhurried,
    },
  );
  t.after(async () => {
    await services[Symbol.asyncDispose]();
    await deleteTopics(kafka, pool);
  });
  await services.start();
  await services.healthy(config.HEALTHY_WITHIN_MS, unhurried);

  const [address = ""] = services.addresses;
  const post = caller(address, key);
  return { address, addresses: services.addresses, key, pool, services, logs, events, post };
}

function urlsOf({ KAFKA_BROKERS, REDIS_VOLATILE_URL, REDIS_DURABLE_URL }: LauncherConfig): ServerUrls {
  if (KAFKA_BROKERS === undefined || REDIS_VOLATILE_URL === undefined || REDIS_DURABLE_URL === undefined) {
    throw new Error("This test needs the servers of a test run: npm test -- FILE");
  }
  return { KAFKA_BROKERS, REDIS_VOLATILE_URL, REDIS_DURABLE_URL };
}

export type StackOptions = {
  workers?: number;
  batchers?: number;
  ingress?: number;
  /** Settings of the services, of the launcher's limits (RESTART_FIRST_MS …) and of its topics. */
  settings?: Record<string, string>;
};

export type Stack = {
  /** Of the first ingress. */
  address: string;
  addresses: string[];
  key: string;
  pool: string;
  /** `services.find("inference-1").kill("SIGKILL")`; one that dies is started again. */
  services: Services;
  /** The folder of the services' logs. */
  logs: string;
  /** Deaths and restarts, as `npm start` would print them. */
  events: string[];
  /** Calls the first ingress. */
  post: Post;
};
