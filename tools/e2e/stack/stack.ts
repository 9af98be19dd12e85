import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig } from "@faceline/runtime/kafka";
import { newDevKey, storeKey } from "@faceline/deploy/launcher/dev-key";
import type { SupervisorOptions } from "@faceline/deploy/launcher/supervisor";
import { freeOperatorsPorts } from "@faceline/deploy/launcher/operators-ports";
import { freePorts } from "@faceline/deploy/launcher/ports";
import type { ServerAccess } from "@faceline/deploy/launcher/server-access";
import { Services } from "@faceline/deploy/launcher/services";
import { LauncherConfig, supervisorLimits } from "@faceline/deploy/launcher/settings";
import { createTopics, deleteTopics, topicOptions } from "@faceline/deploy/launcher/topics";
import { serviceAccessFile } from "@faceline/testing/test-servers";
import { apiClient, type Post } from "./api-client.ts";

/**
 * Starts a whole Faceline for one test, on the broker and the Redis servers of the test run, with its own
 * pool, ports and key. It is stopped after the test.
 *
 *     const { post, services } = await startStack(t, { workers: 2 });
 *     services.find("inference-2").kill("SIGKILL");
 */
export async function startStack(
  t: Pick<TestContext, "after">,
  options: StackOptions = {},
): Promise<TestStack> {
  const { workers = 1, batchers = 1, ingress = 1, operators = false } = options;
  const { settings = {}, ownSettings = {}, workerSettings, restart } = options;
  const env = { ...process.env, LOG_LEVEL: "info", ...settings };
  const config = readConfig(LauncherConfig, env);
  const kafka = readConfig(KafkaConfig, env);
  const limits = supervisorLimits(config);
  const never = new AbortController().signal;

  const pool = `test-${randomBytes(6).toString("hex")}`;
  await createTopics(kafka, topicOptions(config, pool, never));
  const key = newDevKey();
  await storeKey(env, key, pool);

  const ownPorts = operators ? await freeOperatorsPorts({ workers, batchers, ingress }) : {};
  const logs = mkdtempSync(join(process.env["FACELINE_TEST_RUN"] ?? tmpdir(), `stack-`));
  const events: string[] = [];
  const services = new Services(
    {
      counts: { workers, batchers, ingress },
      access: withSettings(readAccess(), settings, ownSettings),
      pool,
      host: "127.0.0.1",
      ports: options.ports ?? (await freePorts(ingress)),
      workerSettings,
      threads: config.INTRA_OP_THREADS,
      environment: env,
      operatorsPorts: ownPorts,
    },
    {
      ...limits,
      restart: { ...limits.restart, ...restart },
      logs,
      print: (line) => void events.push(line),
      stop: never,
      force: never,
    },
  );
  t.after(async () => {
    await services[Symbol.asyncDispose]();
    await deleteTopics(kafka, pool);
  });
  await services.start();
  await services.waitUntilHealthy(never);

  const [address = ""] = services.addresses;
  return {
    address,
    addresses: services.addresses,
    key,
    pool,
    services,
    logs,
    events,
    post: apiClient(address, key),
    postOnce: apiClient(address, key, 1),
    operatorsPorts: ownPorts,
  };
}

/** The settings with which each service reaches the servers of the test run: as users of their own. */
export function readAccess(): ServerAccess {
  const run = process.env["FACELINE_TEST_RUN"];
  if (run === undefined) throw new Error("This test needs the servers of a test run: npm test -- FILE");
  return JSON.parse(readFileSync(serviceAccessFile(run), "utf8")) as ServerAccess;
}

/** The test's settings come before, and those of one service before all. */
function withSettings(access: ServerAccess, settings: Settings, own: OwnSettings): ServerAccess {
  const noPassword = settings["REDIS_VOLATILE_URL"] === undefined ? {} : { REDIS_VOLATILE_PASSWORD_FILE: "" };
  return {
    ingress: { ...access.ingress, ...noPassword, ...settings, ...own.ingress },
    batcher: { ...access.batcher, ...noPassword, ...settings, ...own.batcher },
    inference: { ...access.inference, ...noPassword, ...settings, ...own.inference },
    launcher: { ...access.launcher, ...noPassword, ...settings },
  };
}

type Settings = Record<string, string>;
export type OwnSettings = Partial<Record<"ingress" | "batcher" | "inference", Settings>>;

type StackOptions = {
  workers?: number;
  batchers?: number;
  ingress?: number;
  /** One for each ingress, where a setting names its address: PUBLIC_URL. */
  ports?: number[];
  /** Whether every process has an operators' port. */
  operators?: boolean;
  /** Back-off before a process that died is started again. */
  restart?: Partial<SupervisorOptions["restart"]>;
  /** Settings of the services, and of the launcher for its limits and topics. */
  settings?: Record<string, string>;
  /** Settings of one service alone. */
  ownSettings?: OwnSettings;
  /** Settings of single workers, over `settings`. */
  workerSettings?: Record<string, string>[];
};

export type TestStack = {
  /** Address of the first ingress. */
  address: string;
  addresses: string[];
  key: string;
  pool: string;
  /** Ports by the name of the process: `{ "batcher-1": 40123 }`. */
  operatorsPorts: Record<string, number>;
  /** `services.find("inference-1").kill("SIGKILL")`; a process that dies is restarted. */
  services: Services;
  /** Folder of the services' logs. */
  logs: string;
  /** Deaths and restarts, as `npm start` prints them. */
  events: string[];
  /** Posts to the first ingress, and again where it refuses for now. */
  post: Post;
  /** Posts to it once: for tests of refusals, and of the path of a single request. */
  postOnce: Post;
};
