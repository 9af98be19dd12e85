import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readConfig } from "@faceline/runtime/config";
import { brokerSettings, type KafkaSettings, kafkaProgram } from "@faceline/deploy/launcher/kafka-broker";
import { findJava } from "@faceline/deploy/launcher/java-install";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { kafkaUser } from "@faceline/deploy/launcher/server-access";
import { LauncherConfig, supervisorLimits } from "@faceline/deploy/launcher/settings";
import { openStateFolder, repository } from "@faceline/deploy/launcher/state-folder";
import { Supervisor } from "@faceline/deploy/launcher/supervisor";
import { readAccess } from "./stack.ts";

/**
 * Starts a broker with the login of the run's services and its data in `folder`. Like that of `npm start` it
 * is started again when it dies, until it is disposed of. `adapt` changes its settings.
 */
export async function startBroker(
  folder: string,
  adapt = (settings: KafkaSettings): KafkaSettings => settings,
): Promise<AsyncDisposable & { brokers: string }> {
  const stop = new AbortController().signal;
  const config = readConfig(LauncherConfig, process.env);
  const { kafkaLibs: libs, java: fetchedJava } = openStateFolder(resolve(repository, config.FACELINE_STATE));
  const [port = 0, controllerPort = 0] = await freePorts(2);
  const { command: java } = await findJava(fetchedJava, stop);
  const password = readFileSync(readAccess().ingress["KAFKA_SASL_PASSWORD_FILE"]!, "utf8").trim();
  const options = { java, libs, folder, port, controllerPort, heapMib: 256, stop };
  const settings = brokerSettings({ ...options, login: { user: kafkaUser, password } });
  const supervisor = new Supervisor(await kafkaProgram("kafka", options, adapt(settings)), {
    ...supervisorLimits(config),
    logs: process.env["FACELINE_TEST_RUN"]!,
    print: () => {},
    stop,
    // Its data are thrown away.
    force: AbortSignal.abort(),
  });
  await supervisor.start();
  return { brokers: `127.0.0.1:${port}`, [Symbol.asyncDispose]: () => supervisor.stop() };
}
