import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256OfFile } from "@faceline/models/model-file";
import type { Program } from "../../launcher/child.ts";
import { fastStartFlags } from "../../launcher/kafka-broker.ts";
import { maven } from "../../launcher/maven.ts";
import { repository } from "../../launcher/state-folder.ts";

const pom = join(repository, "deploy", "zipkin", "pom.xml");
const jarName = "zipkin-server-3.6.1-slim.jar";
const jarSha256 = "981b1de6139b4f8f787a909c308028732f9713ae5284353d2a5aa404d1094775";

/**
 * Fetches Zipkin's jar unless the folder holds it. Returns its path, and whether it was fetched. Throws a
 * sentence when the jar is not the pinned one: Java would run it.
 */
export async function fetchZipkin(
  folder: string,
  stop: AbortSignal,
): Promise<{ jar: string; fetched: boolean }> {
  const jar = join(folder, jarName);
  if (existsSync(jar)) {
    await refuseOtherJar(jar, jarSha256, "remove it, and the next start fetches it again");
    return { jar, fetched: false };
  }
  await installJar(folder, jarSha256, (partial) =>
    maven(
      pom,
      "copy-dependencies",
      { includeScope: "runtime", outputDirectory: partial },
      { artifact: "Zipkin", alternative: "or start without --observe", stop },
    ),
  );
  return { jar, fetched: true };
}

/**
 * Fills the folder with the jar that `fetch` writes into the folder that it is given. Throws a sentence when
 * the jar is not the pinned one; then nothing of it stays.
 */
export async function installJar(
  folder: string,
  pinned: string,
  fetch: (partial: string) => Promise<void>,
): Promise<void> {
  // Into another folder first, so that an interrupted download never looks complete.
  const partial = `${folder}.${process.pid}`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    await fetch(partial);
    const advice =
      "it was removed; remove the one in Maven's own folder too (~/.m2/repository/io/zipkin), and start again";
    await refuseOtherJar(join(partial, jarName), pinned, advice);
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Throws a sentence when the jar has not the content that is pinned. */
export async function refuseOtherJar(jar: string, pinned: string, advice: string): Promise<void> {
  if ((await sha256OfFile(jar)) === pinned) return;
  throw new Error(`Zipkin is not started, because ${jar} is not the pinned one: ${advice}.`);
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
