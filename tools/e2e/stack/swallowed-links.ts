import { mkdtempSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { SwallowingProxy } from "@faceline/runtime/testing/swallowing-proxy";
import { Child } from "@faceline/deploy/launcher/child";
import { brokerSettings, type KafkaSettings, kafkaProgram } from "@faceline/deploy/launcher/kafka-broker";
import { findJava } from "@faceline/deploy/launcher/kafka-install";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { kafkaUser } from "@faceline/deploy/launcher/server-access";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { openStateFolder, repository } from "@faceline/deploy/launcher/state-folder";
import { type OwnSettings, readAccess, startStack, type TestStack } from "./stack.ts";

const clients = ["ingress", "batcher", "inference"] as const;

/**
 * Starts a whole Faceline of one process each, in which a proxy lies on every link between a service and a
 * server. The engine is modelled. Kafka tells its clients its address, so this broker has one more listener
 * for each service, which it advertises at that service's proxy.
 */
export async function startProxiedStack(t: TestContext): Promise<{ stack: TestStack; links: Links }> {
  await using opened = new AsyncDisposableStack();
  const access = readAccess();
  const { brokers, proxies } = await startProxiedBroker(opened);
  const links: Partial<Links> = {};
  const ownSettings: OwnSettings = {};
  for (const [index, client] of clients.entries()) {
    const volatile = await SwallowingProxy.before(access[client]["REDIS_VOLATILE_URL"]!);
    links[`${client}–volatile Redis`] = opened.use(volatile.proxy);
    links[`${client}–Kafka`] = proxies[index]!;
    ownSettings[client] = {
      KAFKA_BROKERS: `127.0.0.1:${proxies[index]!.port}`,
      REDIS_VOLATILE_URL: volatile.url,
    };
  }
  const durable = await SwallowingProxy.before(access.ingress["REDIS_DURABLE_URL"]!);
  links["ingress–durable Redis"] = opened.use(durable.proxy);
  ownSettings.ingress!["REDIS_DURABLE_URL"] = durable.url;
  const stack = await startStack(t, {
    ownSettings,
    settings: { KAFKA_BROKERS: brokers, ENGINE: "model:20+2b" },
  });
  // After the stack, which deletes its topics when it stops.
  const servers = opened.move();
  t.after(() => servers.disposeAsync());
  return { stack, links: links as Links };
}

async function startProxiedBroker(opened: AsyncDisposableStack) {
  const stop = new AbortController().signal;
  const folder = mkdtempSync(join(process.env["FACELINE_TEST_RUN"]!, "broker-"));
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const libs = openStateFolder(resolve(repository, FACELINE_STATE)).kafkaLibs;
  const [port = 0, controllerPort = 0, ...ports] = await freePorts(2 + clients.length);
  const proxies: SwallowingProxy[] = [];
  for (const each of ports) {
    proxies.push(opened.use(await SwallowingProxy.open({ host: "127.0.0.1", port: each })));
  }
  const java = await findJava(process.env, stop);
  const password = readFileSync(readAccess().ingress["KAFKA_SASL_PASSWORD_FILE"]!, "utf8").trim();
  const options = { java, libs, folder, port, controllerPort, heapMib: 256, stop };
  const settings = brokerSettings({ ...options, login: { user: kafkaUser, password } });
  const program = await kafkaProgram("kafka", options, withListeners(settings, ports, proxies));
  const child = new Child(program, () => {});
  opened.defer(async () => {
    child.kill("SIGKILL");
    await child.ended;
  });
  await child.ready(60_000, stop);
  return { brokers: `127.0.0.1:${port}`, proxies };
}

/** Adds a listener for each service to the settings of a broker, like the one of its clients. */
function withListeners(settings: KafkaSettings, ports: number[], proxies: SwallowingProxy[]): KafkaSettings {
  const names = clients.map((client) => client.toUpperCase());
  const added = {
    listeners: names.map((name, i) => `${name}://127.0.0.1:${ports[i]}`),
    "advertised.listeners": names.map((name, i) => `${name}://127.0.0.1:${proxies[i]!.port}`),
    "listener.security.protocol.map": names.map((name) => `${name}:SASL_PLAINTEXT`),
  };
  const extended = Object.entries(added).map(([key, more]) => [key, [settings[key], ...more].join()]);
  const login = "plain.sasl.jaas.config";
  const logins = clients.map((client) => [
    `listener.name.${client}.${login}`,
    settings[`listener.name.clients.${login}`],
  ]);
  return { ...settings, ...Object.fromEntries([...extended, ...logins]) };
}

type Client = (typeof clients)[number];
export type Link = `${Client}–${"volatile Redis" | "Kafka"}` | "ingress–durable Redis";
type Links = Record<Link, SwallowingProxy>;
