import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "@faceline/contracts/runtime/config";
import { KafkaConfig } from "@faceline/contracts/runtime/kafka";
import { buildModels } from "../launcher/models.ts";
import { freePorts } from "../launcher/ports.ts";
import { endLeftovers, ProcessRecord } from "../launcher/process-record.ts";
import { Servers, type ServerUrls } from "../launcher/servers.ts";
import { type LaunchOptions, supervisorLimits } from "../launcher/settings.ts";
import { openStateFolder, repository, type StateFolder } from "../launcher/state-folder.ts";
import type { Steps } from "../launcher/steps.ts";
import type { StopRequests } from "../launcher/stop-requests.ts";
import type { SupervisorOptions } from "../launcher/supervisor.ts";
import { createTopics, topicOptions } from "../launcher/topics.ts";

/**
 * Opens one broker and two Redis servers for a run of tests, on their own ports and in their own folder.
 * Jars, Redis and models are shared with `npm start`. The folder is removed at the end, unless `keepFolder`
 * was called after a failed test; the next run removes it then.
 */
export async function openTestServers(options: TestServersOptions): Promise<TestServers> {
  const { launch, steps, print, stop, force } = options;
  const home = openStateFolder(resolve(repository, launch.FACELINE_STATE));
  await removeOldRuns(home.testRuns, print);
  const run = join(home.testRuns, `${process.pid}-${randomBytes(4).toString("hex")}`);
  const state = openStateFolder(resolve(repository, launch.FACELINE_STATE), run);

  await using opened = new AsyncDisposableStack();
  let keep = false;
  opened.defer(() => (keep ? undefined : rmSync(run, { recursive: true, force: true })));
  const record = opened.use(await ProcessRecord.begin(state.processes, print));
  const [kafkaPort = 0, controllerPort = 0, volatilePort = 0, durablePort = 0] = await freePorts(4);
  const config = {
    ...launch,
    KAFKA_PORT: kafkaPort,
    KAFKA_CONTROLLER_PORT: controllerPort,
    REDIS_VOLATILE_PORT: volatilePort,
    REDIS_DURABLE_PORT: durablePort,
  };
  const supervision = {
    ...supervisorLimits(config),
    logs: state.logs,
    print,
    onOutput: () => {},
    record,
    stop,
    force,
  };
  const servers = opened.use(new Servers(config, state, supervision));
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
    watch: supervision,
    environment: { ...process.env, ...urls, MODELS_DIR: models, FACELINE_TEST_RUN: run },
    keepFolder() {
      keep = true;
      return state.logs;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/**
 * Removes the folders of runs that were killed or that failed. A run that is still going on is left alone.
 */
async function removeOldRuns(testRuns: string, print: (line: string) => void): Promise<void> {
  if (!existsSync(testRuns)) return;
  for (const name of readdirSync(testRuns)) {
    const folder = join(testRuns, name);
    const { owner } = await endLeftovers(join(folder, "processes.json"), print);
    if (owner === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

type TestServersOptions = StopRequests & {
  launch: LaunchOptions;
  steps: Steps;
  print: (line: string) => void;
};

export type TestServers = AsyncDisposable & {
  urls: ServerUrls;
  models: string;
  state: StateFolder;
  /** Limits, outputs and record of the servers' supervisors, for the services of a test or bench. */
  watch: SupervisorOptions;
  /** The environment of the tests. */
  environment: NodeJS.ProcessEnv;
  /** Keeps the folder of this run, and returns where the logs are. */
  keepFolder(): string;
};
