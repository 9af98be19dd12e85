import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "@faceline/contracts/runtime/config";
import { KafkaConfig } from "@faceline/contracts/runtime/kafka";
import { buildModels } from "./models.ts";
import { freePorts } from "./ports.ts";
import { endLeftovers, ProcessRecord } from "./process-record.ts";
import { Servers, type ServerUrls } from "./servers.ts";
import { type Launch, limitsOf } from "./settings.ts";
import { openState, repository, type StateFolder } from "./state-folder.ts";
import type { Steps } from "./steps.ts";
import type { StopRequests } from "./stop.ts";
import type { Watch } from "./supervisor.ts";
import { createTopics, topicOptions } from "./topics.ts";

/**
 * One broker and two Redis servers for a run of tests, on ports and in a folder of their own. What was fetched and
 * built for `npm start` is shared. The folder goes at the end, unless a test failed: then its logs are wanted, and the
 * next run removes it.
 */
export async function openTestServers(options: TestOptions): Promise<TestServers> {
  const { launch, steps, say, stop, force } = options;
  const home = openState(resolve(repository, launch.FACELINE_STATE));
  await removeOldRuns(home.testRuns, say);
  const run = join(home.testRuns, `${process.pid}-${randomBytes(4).toString("hex")}`);
  const state = openState(resolve(repository, launch.FACELINE_STATE), run);

  await using opened = new AsyncDisposableStack();
  let keep = false;
  opened.defer(() => (keep ? undefined : rmSync(run, { recursive: true, force: true })));
  const record = opened.use(await ProcessRecord.begin(state.processes, say));
  const [kafkaPort = 0, controllerPort = 0, volatilePort = 0, durablePort = 0] = await freePorts(4);
  const config = {
    ...launch,
    KAFKA_PORT: kafkaPort,
    KAFKA_CONTROLLER_PORT: controllerPort,
    REDIS_VOLATILE_PORT: volatilePort,
    REDIS_DURABLE_PORT: durablePort,
  };
  const watch = { ...limitsOf(config), logs: state.logs, say, heard: () => {}, record, stop, force };
  const servers = opened.use(new Servers(config, state, watch));
  const { urls } = servers;

  const fetched = await servers.fetch(steps);
  const models = launch.MODELS_DIR ?? state.models;
  if (launch.MODELS_DIR === undefined) await steps.run("models", () => buildModels(models, stop));
  await steps.run("Kafka and Redis", () => servers.start(fetched));
  const kafka = readConfig(KafkaConfig, { ...process.env, ...urls });
  await steps.run("topics", () => createTopics(kafka, topicOptions(launch, launch.POOL, stop)));

  const open = opened.move();
  return {
    urls,
    models,
    state,
    watch,
    environment: { ...process.env, ...urls, MODELS_DIR: models, FACELINE_TEST_RUN: run },
    keepFolder() {
      keep = true;
      return state.logs;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Runs that were killed, or whose tests failed. One that still runs is left alone. */
async function removeOldRuns(testRuns: string, say: (line: string) => void): Promise<void> {
  if (!existsSync(testRuns)) return;
  for (const name of readdirSync(testRuns)) {
    const folder = join(testRuns, name);
    const { owner } = await endLeftovers(join(folder, "processes.json"), say);
    if (owner === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

export type TestOptions = StopRequests & { launch: Launch; steps: Steps; say: (line: string) => void };

export type TestServers = AsyncDisposable & {
  urls: ServerUrls;
  models: string;
  state: StateFolder;
  watch: Watch;
  /** What the tests are given. */
  environment: NodeJS.ProcessEnv;
  /** Returns where the logs stay. */
  keepFolder(): string;
};
