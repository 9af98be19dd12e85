import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { capture } from "@faceline/deploy/launcher/capture";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { repository } from "@faceline/deploy/launcher/state-folder";

const manifest = join(repository, "deploy/observe/collector-build.yaml");
export const collectorConfig = join(repository, "deploy/observe/collector.yaml");

/**
 * Returns the Collector of `collector-build.yaml`, built once for each content of that file: four minutes,
 * with Go and its module proxy. Modules have the versions of the file, and Go compares them with its checksum
 * database. Throws a sentence if it cannot be built.
 */
export async function buildCollector(stateFolder: string, stop: AbortSignal): Promise<string> {
  const build = readFileSync(manifest, "utf8");
  const folder = join(
    stateFolder,
    "collector",
    createHash("sha256").update(build).digest("hex").slice(0, 16),
  );
  const program = join(folder, "otelcol");
  if (existsSync(program)) return program;
  const sources = join(folder, "sources");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const go = (args: string[], cwd: string, env: NodeJS.ProcessEnv = {}) =>
    capture("nice", ["-n", "19", "go", ...args], {
      cwd,
      env: { ...process.env, GOBIN: folder, ...env },
      stop,
      failed: "The Collector could not be built: does Go reach its module proxy?",
    });
  await capture("go", ["version"], {
    stop,
    absent: "The Collector is built with Go, which is not on the PATH.",
  });
  await go(["install", `go.opentelemetry.io/collector/cmd/builder@${version(build)}`], folder);
  writeFileSync(
    join(folder, "build.yaml"),
    build.replace("\ndist:\n", `\ndist:\n  output_path: ${sources}\n`),
  );
  // It writes the sources and then fails in `go mod tidy`, on a module that only the tests of a part need.
  await capture(
    "nice",
    ["-n", "19", join(folder, "builder"), "--config", "build.yaml", "--skip-compilation"],
    {
      cwd: folder,
      stop,
    },
  ).catch((fault: Error) => {
    stop.throwIfAborted();
    if (!existsSync(join(sources, "go.mod"))) throw fault;
  });
  const output = join(folder, "otelcol.new");
  await go(["build", "-trimpath", "-ldflags=-s -w", "-o", output], sources, { GOFLAGS: "-mod=mod" });
  // Renamed at the end, because its presence means that the build is complete.
  renameSync(output, program);
  return program;
}

/** Returns the version of the builder, which is that of the Collector. */
const version = (build: string): string => `v${/^ {2}version: (\S+)$/m.exec(build)?.[1]}`;

/** Throws the reason if the Collector refuses a configuration. `settings`: its environment. */
export async function validateConfig(
  program: string,
  config: string,
  settings: Record<string, string> = {},
): Promise<void> {
  const env = { ...process.env, ...settings };
  await capture(program, ["validate", "--config", config], { env, failed: "The Collector refuses" });
}

/** Starts a Collector with the operators' configuration on free ports. It is ended after the test. */
export async function startCollector(
  t: Pick<TestContext, "after">,
  program: string,
  settings: Record<string, string>,
): Promise<RunningCollector> {
  const [http, grpc, page] = await freePorts(3);
  const child = spawn(program, ["--config", collectorConfig], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      COLLECTOR_OTLP_HTTP: `127.0.0.1:${http}`,
      COLLECTOR_OTLP_GRPC: `127.0.0.1:${grpc}`,
      COLLECTOR_METRICS_PAGE: `127.0.0.1:${page}`,
      ...settings,
    },
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  await untilReady(child, ended);
  return { url: `http://127.0.0.1:${http}`, page: `http://127.0.0.1:${page}/metrics` };
}

/** The Collector says on stderr when it is ready; a wrong configuration ends it first. */
async function untilReady(child: ChildProcess, ended: Promise<void>): Promise<void> {
  let printed = "";
  const ready = new Promise<true>((resolve) => {
    child.stderr!.on("data", (chunk: Buffer) => {
      printed = (printed + chunk.toString("utf8")).slice(-4_096);
      if (printed.includes("Everything is ready")) resolve(true);
    });
  });
  if ((await Promise.race([ready, ended])) !== true) throw new Error(`The Collector has ended:\n${printed}`);
}

type RunningCollector = {
  /** Value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  /** Address of its page of metrics. */
  page: string;
};
