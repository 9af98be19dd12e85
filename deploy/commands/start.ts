import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type RunningService, runningServiceFile } from "@faceline/contracts/stored/running-service";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig } from "@faceline/runtime/kafka";
import { waitForAbort } from "@faceline/runtime/process-lifecycle";
import { checkSettings } from "../launcher/check-settings.ts";
import { readDevKey, storeKey } from "../launcher/dev-key.ts";
import { launchOperators } from "../launcher/launch-operators.ts";
import { warningOf } from "../launcher/log-line.ts";
import { buildModels } from "../launcher/models.ts";
import { operatorsPortSettings } from "../launcher/operators-ports.ts";
import { checkPorts } from "../launcher/ports.ts";
import { ProcessRecord } from "../launcher/process-record.ts";
import { type Command, runCommand } from "../launcher/run-command.ts";
import { writeSamples } from "../launcher/samples.ts";
import { writePrivateFile } from "../launcher/secrets.ts";
import { Servers, serverPorts } from "../launcher/servers.ts";
import { buildScripts, ingressPorts, Services } from "../launcher/services.ts";
import { readLaunchOptions, startUsage, supervisorLimits } from "../launcher/settings.ts";
import { fetchedInImage, openStateFolder, repository } from "../launcher/state-folder.ts";
import { Steps } from "../launcher/steps.ts";
import { createTopics, topicOptions } from "../launcher/topics.ts";
import { welcomeMessage } from "../launcher/welcome.ts";

await runCommand(startUsage, start, { interruptedCode: 0 });

async function start({ print, stop, force }: Command): Promise<void> {
  await checkSettings(process.env);
  const launch = readLaunchOptions(process.argv.slice(2), process.env);
  const folder = resolve(repository, launch.FACELINE_STATE);
  const isImage = existsSync(fetchedInImage);
  const state = openStateFolder(isImage ? fetchedInImage : folder, folder);
  using record = await ProcessRecord.begin(state.processes, print);
  const ingresses = ingressPorts(launch.HOST, launch.PORT, launch.ingress);
  const operators = await launchOperators(launch, process.env, state.secrets);
  const observe = launch.observe ? await import("../observe/viewers/observation.ts") : undefined;
  await checkPorts([
    ...serverPorts(launch),
    ...(observe?.observePorts(launch) ?? []),
    ...ingresses,
    ...operatorsPortSettings(launch.OPERATORS_HOST, operators.ports),
  ]);

  const steps = Steps.sinceCommandStart();
  const supervision = { ...supervisorLimits(launch), logs: state.logs, print, record, stop, force };
  await using servers = new Servers(launch, state, supervision);
  await using observation =
    observe &&
    new observe.Observation({
      config: launch,
      state,
      env: process.env,
      operatorsPorts: operators.ports,
      watch: supervision,
    });
  const { access } = servers;
  const ownEnvironment = { ...process.env, ...access.launcher };
  const models = launch.MODELS_DIR ?? state.models;
  await Promise.all([
    servers.start(steps),
    launch.MODELS_DIR ??
      steps.run("models", async (note) => {
        note("those that are missing are built, once");
        await buildModels(models, process.env, stop);
        note("");
      }),
    buildScripts(),
    observation?.fetch(steps),
  ]);
  observation?.start();
  // A person outside of a container does not see its files.
  const body = isImage ? undefined : writeSamples(state.samples);

  const kafka = readConfig(KafkaConfig, ownEnvironment);
  const kafkaData = join(state.kafka, "data");
  const differences = await steps.run("topics", () =>
    createTopics(kafka, topicOptions(launch, launch.POOL, stop, kafkaData)),
  );
  for (const sentence of differences) print(`warning: ${sentence}`);
  const key = launch.devKey ? readDevKey(state.devKey) : undefined;
  if (key !== undefined) await storeKey(ownEnvironment, key, "dev");

  await using services = new Services(
    {
      counts: launch,
      access,
      pool: launch.POOL,
      host: launch.HOST,
      ports: ingresses.map(({ port }) => port),
      threads: launch.INTRA_OP_THREADS,
      environment: {
        ...process.env,
        ...(launch.engine === undefined ? {} : { ENGINE: launch.engine }),
        MODELS_DIR: models,
        LOG_LEVEL: launch.LOG_LEVEL,
        ...(operators.tokenFile !== undefined && { OPERATORS_TOKEN_FILE: operators.tokenFile }),
        ...observation?.environment(),
      },
      operatorsPorts: operators.ports,
    },
    {
      ...supervision,
      onOutput: (name, line) => {
        const sentence = warningOf(line);
        if (sentence !== undefined) print(`${name}: ${sentence}`);
      },
    },
  );
  writeFileSync(state.serviceAddress, `${process.env["PUBLIC_URL"] || services.addresses[0]}\n`);
  const pages = process.env["PAGES"] !== "off";
  await steps.run("services", () => services.start({ pages }));
  await steps.run("health", () => services.waitUntilHealthy(stop));
  if (observation !== undefined) await steps.run("Zipkin and Prometheus", () => observation.ready());

  const { addresses } = services;
  const running: RunningService = {
    address: addresses[0]!,
    operators: operators.addresses,
    tokenFile: operators.tokenFile ?? null,
    keyFile: key === undefined ? null : state.devKey,
    modelsDir: models,
    engine: launch.engine ?? (process.env["ENGINE"] || "onnx"),
  };
  writePrivateFile(join(state.run, runningServiceFile), JSON.stringify(running));
  print(
    welcomeMessage({
      addresses,
      key,
      keyFile: state.devKey,
      body,
      pages,
      accounts: ["PAGES", "AUTH", "ACCOUNTS"].every((setting) => process.env[setting] !== "off"),
      logs: state.logs,
      viewers: observation?.addresses,
      // Those that were drawn are for npm run plan alone, which finds them itself.
      operatorsPorts: launch.OPERATORS_PORT === undefined ? {} : operators.ports,
      tookMs: steps.tookMs,
    }),
  );
  await waitForAbort(stop);
}
