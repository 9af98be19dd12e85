import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { SwallowingProxy } from "@faceline/runtime/testing/swallowing-proxy";
import type { KafkaSettings } from "@faceline/deploy/launcher/kafka-broker";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { startBroker } from "./broker.ts";
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
  const folder = mkdtempSync(join(process.env["FACELINE_TEST_RUN"]!, "broker-"));
  const ports = await freePorts(clients.length);
  const proxies: SwallowingProxy[] = [];
  for (const each of ports) {
    proxies.push(opened.use(await SwallowingProxy.open({ host: "127.0.0.1", port: each })));
  }
  const broker = await startBroker(folder, (settings) => withListeners(settings, ports, proxies));
  const { brokers } = opened.use(broker);
  return { brokers, proxies };
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
