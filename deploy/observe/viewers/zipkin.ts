import { join } from "node:path";
import type { Program } from "../../launcher/child.ts";
import { fetchJars } from "../../launcher/jars.ts";
import { fastStartFlags } from "../../launcher/kafka-broker.ts";
import { repository } from "../../launcher/state-folder.ts";

const pins = join(repository, "deploy", "zipkin");
const jarName = "zipkin-server-3.6.1-slim.jar";

/** Fetches Zipkin's jar unless the folder holds it. Returns its path, and how it came. */
export async function fetchZipkin(
  folder: string,
  stop: AbortSignal,
): Promise<{ jar: string; source: string }> {
  const source = await fetchJars({ name: "Zipkin", pins, folder, stop });
  return { jar: join(folder, jarName), source };
}

/** Heap for as many spans, and the requests of one reader; beyond them the oldest traces go. */
const heapMib = 160;
const spansMax = 50_000;

/** Zipkin on loopback, with its spans in memory alone. */
export function zipkinProgram({ java, jar, port }: ZipkinOptions): Program {
  const origin = zipkinOrigin(port);
  const settings = {
    // By default it listens on all interfaces.
    "armeria.ports[0].address": "127.0.0.1",
    "armeria.ports[0].port": port,
    "armeria.ports[0].protocols[0]": "http",
    "zipkin.storage.type": "mem",
    "zipkin.storage.mem.max-spans": spansMax,
    "zipkin.collector.grpc.enabled": false,
    "zipkin.self-tracing.enabled": false,
    // By default the pages of every origin may read the traces.
    "zipkin.query.allowed-origins": origin,
    // The browser would not notice the names of new services and spans for five minutes.
    "zipkin.query.names-max-age": 5,
    "zipkin.ui.query-limit": 50,
  };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  return {
    name: "zipkin",
    command: java,
    args: ["-Xms32m", `-Xmx${heapMib}m`, ...fastStartFlags, "-jar", jar, ...args],
    // Its other settings come from variables with common names, such as STORAGE_TYPE and RABBIT_URI.
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
    ready: () => isHealthy(`${origin}/health`),
  };
}

export const zipkinOrigin = (port: number): string => `http://127.0.0.1:${port}`;

/** Whether a GET is answered with a success. */
export const isHealthy = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(probeMs) }).then(
    async ({ ok, body }) => {
      await body?.cancel();
      return ok;
    },
    () => false,
  );

const probeMs = 2_000;

type ZipkinOptions = { java: string; jar: string; port: number };
