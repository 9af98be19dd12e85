import { resolve } from "node:path";
import { readConfig } from "@faceline/contracts/runtime/config";
import { KafkaConfig } from "@faceline/contracts/runtime/kafka";
import { waitForAbort } from "@faceline/contracts/runtime/process";
import { readDevKey, storeKey } from "../launcher/dev-key.ts";
import { buildModels } from "../launcher/models.ts";
import { checkPorts } from "../launcher/ports.ts";
import { ProcessRecord } from "../launcher/process-record.ts";
import { cutSamples } from "../launcher/samples.ts";
import { Servers, serverPorts } from "../launcher/servers.ts";
import { ingressPorts, Services } from "../launcher/services.ts";
import { limitsOf, readLaunch } from "../launcher/settings.ts";
import { openState, repository } from "../launcher/state-folder.ts";
import { Steps } from "../launcher/steps.ts";
import { stopRequests } from "../launcher/stop.ts";
import { createTopics, topicOptions } from "../launcher/topics.ts";
import { welcome } from "../launcher/welcome.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const { stop, force } = stopRequests(say);

try {
  await start();
} catch (fault) {
  // What was waited for when somebody stopped the launcher is no fault.
  if (!stop.aborted) {
    process.stderr.write(`\n${(fault as Error).message}\n`);
    process.exitCode = 1;
  }
}

async function start(): Promise<void> {
  const launch = readLaunch(process.argv.slice(2), process.env);
  const state = openState(resolve(repository, launch.FACELINE_STATE));
  using record = await ProcessRecord.begin(state.processes, say);
  const ingresses = ingressPorts(launch.HOST, launch.PORT, launch.ingress);
  await checkPorts([...serverPorts(launch), ...ingresses]);

  const steps = Steps.sinceCommand(say);
  const quiet = { ...limitsOf(launch), logs: state.logs, say, heard: () => {}, record, stop, force };
  await using servers = new Servers(launch, state, quiet);
  const { urls } = servers;
  const fetched = await servers.fetch(steps);
  const models = launch.MODELS_DIR ?? state.models;
  if (launch.MODELS_DIR === undefined) await steps.run("models", () => buildModels(models, stop));
  const body = await cutSamples(state.samples);

  await steps.run("Kafka and Redis", () => servers.start(fetched));
  const kafka = readConfig(KafkaConfig, { ...process.env, ...urls });
  await steps.run("topics", () => createTopics(kafka, topicOptions(launch, launch.POOL, stop)));
  const key = launch.devKey ? readDevKey(state.devKey) : undefined;
  if (key !== undefined) await storeKey(urls.REDIS_DURABLE_URL, key, "dev");

  const heard = (name: string, line: string) => say(`${name} | ${line}`);
  await using services = new Services(
    {
      counts: launch,
      urls,
      pool: launch.POOL,
      host: launch.HOST,
      ports: ingresses.map(({ port }) => port),
      threads: launch.INTRA_OP_THREADS,
      environment: {
        ...process.env,
        ...(launch.engine === undefined ? {} : { ENGINE: launch.engine }),
        MODELS_DIR: models,
        LOG_LEVEL: launch.LOG_LEVEL,
      },
    },
    { ...quiet, heard },
  );
  await steps.run("services", () => services.start());
  await steps.run("health", () => services.healthy(launch.HEALTHY_WITHIN_MS, stop));

  say(
    welcome({
      addresses: services.addresses,
      key,
      keyFile: state.devKey,
      body,
      logs: state.logs,
      tookMs: steps.tookMs,
    }),
  );
  await waitForAbort(stop);
}
