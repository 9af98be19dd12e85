import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildModels } from "@faceline/deploy/launcher/models";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { endLeftovers, ProcessRecord } from "@faceline/deploy/launcher/process-record";
import {
  durableAccess,
  kafkaAccess,
  type ServerAccess,
  testUser,
  volatileAccess,
} from "@faceline/deploy/launcher/server-access";
import { Servers } from "@faceline/deploy/launcher/servers";
import {
  type LauncherConfig,
  type LaunchOptions,
  supervisorLimits,
} from "@faceline/deploy/launcher/settings";
import { openStateFolder, repository, type StateFolder } from "@faceline/deploy/launcher/state-folder";
import { buildScripts } from "@faceline/deploy/launcher/services";
import type { Steps } from "@faceline/deploy/launcher/steps";
import type { StopRequests } from "@faceline/deploy/launcher/stop-requests";
import type { SupervisorOptions } from "@faceline/deploy/launcher/supervisor";
import { createTopics, topicOptions } from "@faceline/deploy/launcher/topics";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig } from "@faceline/runtime/kafka";

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
  const [kafkaPort = 0, volatilePort = 0, durablePort = 0] = await freePorts(3);
  const config = {
    ...launch,
    READY_WITHIN_MS: Number(patience.READY_WITHIN_MS),
    KAFKA_PORT: kafkaPort,
    REDIS_VOLATILE_PORT: volatilePort,
    REDIS_DURABLE_PORT: durablePort,
  };
  const supervision = {
    ...supervisorLimits(config),
    logs: state.logs,
    print,
    record,
    stop,
    force,
  };
  const servers = opened.use(new Servers(config, state, supervision, { withTestUser: true }));

  const models = launch.MODELS_DIR ?? state.models;
  await Promise.all([
    servers.start(steps),
    buildScripts(),
    launch.MODELS_DIR ?? steps.run("models", () => buildModels(models, process.env, stop)),
  ]);
  const environment = { ...process.env, ...testAccess(config, state), ...patience, MODELS_DIR: models };
  const kafka = readConfig(KafkaConfig, environment);
  writeFileSync(serviceAccessFile(run), JSON.stringify(servers.access), { mode: 0o600 });
  await steps.run("topics", () => createTopics(kafka, topicOptions(launch, launch.POOL, stop)));

  const open = opened.move();
  return {
    access: servers.access,
    models,
    state,
    watch: supervision,
    environment: { ...environment, FACELINE_TEST_RUN: run },
    keepFolder() {
      keep = true;
      return state.logs;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** A process may start slowly, and a request take long, on a machine that is busy with other work. */
const patience = { READY_WITHIN_MS: "600000", DEADLINE_DEFAULT_MS: "120000" };

/**
 * The settings with which tests reach the servers. Their Redis addresses hold the password, because tests
 * connect with an address alone.
 */
function testAccess(config: LauncherConfig, { secrets }: StateFolder): NodeJS.ProcessEnv {
  const env = {
    ...kafkaAccess(config, secrets),
    ...volatileAccess(config, secrets, testUser),
    ...durableAccess(config, secrets, testUser),
  };
  for (const server of ["VOLATILE", "DURABLE"]) {
    const file = env[`REDIS_${server}_PASSWORD_FILE`];
    if (file === undefined) continue;
    const url = new URL(env[`REDIS_${server}_URL`]!);
    url.password = readFileSync(file, "utf8").trim();
    env[`REDIS_${server}_URL`] = url.href;
    delete env[`REDIS_${server}_PASSWORD_FILE`];
  }
  return env;
}

/** The file of a test run with the settings by which the services reach its servers, as JSON. */
export const serviceAccessFile = (run: string): string => join(run, "access.json");

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
  /** Access of the services. */
  access: ServerAccess;
  models: string;
  state: StateFolder;
  /** Limits, outputs and record of the servers' supervisors, for the services of a test or bench. */
  watch: SupervisorOptions;
  /** The environment of the tests, who may do everything on the Redis servers of the run. */
  environment: NodeJS.ProcessEnv;
  /** Keeps the folder of this run, and returns where the logs are. */
  keepFolder(): string;
};
