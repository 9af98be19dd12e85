import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Stopwatch } from "@faceline/runtime/starvation";
import { cudaEnvironment } from "@faceline/models/gpu/cuda-folder";
import { modelsFolder } from "@faceline/models/model-file";
import { telemetryOff } from "@faceline/models/onnxruntime-telemetry";
import { mallocSettings, v8Flags } from "./memory-settings.ts";
import { capture } from "./capture.ts";
import type { PortSetting } from "./ports.ts";
import type { ServerAccess } from "./server-access.ts";
import type { Counts } from "./settings.ts";
import { repository } from "./state-folder.ts";
import { Supervisor, type SupervisorOptions } from "./supervisor.ts";
import { threadsPerWorker } from "./worker-count.ts";

/**
 * The services of one pool, each in its own process. They start together, and stop in the direction of a
 * request: the ingresses answer their accepted calls while batchers and workers still run, then the batchers
 * stop, then the workers.
 */
export class Services implements AsyncDisposable {
  readonly addresses: string[];
  readonly #running: Record<Service, Supervisor[]>;

  constructor(plan: ServicesPlan, options: SupervisorOptions) {
    const { counts, environment, operatorsPorts = {} } = plan;
    const supervise = (service: Service, count: number, own: (i: number) => NodeJS.ProcessEnv) =>
      Array.from({ length: count }, (_, i) => {
        const name = `${service}-${i + 1}`;
        const env = {
          ...mallocSettings,
          ...environment,
          ...telemetryOff,
          ...plan.access[service],
          POOL: plan.pool,
          // Empty is unset.
          OPERATORS_PORT: `${operatorsPorts[name] ?? ""}`,
          ...own(i),
        };
        const program = { name, ...nodeProgram(service), env, ready: "message" } as const;
        return new Supervisor(program, options);
      });

    const threads = `${plan.threads ?? threadsPerWorker(counts.workers)}`;
    this.#running = {
      ingress: supervise("ingress", counts.ingress, (i) => ({
        HOST: plan.host,
        PORT: `${plan.ports[i]}`,
        // The operator may add pools that run elsewhere.
        POOLS: environment["POOLS"] || plan.pool,
      })),
      batcher: supervise("batcher", counts.batchers, () => ({})),
      inference: supervise("inference", counts.workers, (i) => ({
        INTRA_OP_THREADS: threads,
        ...cudaEnvironment(environment["MODELS_DIR"] ?? modelsFolder, environment),
        ...plan.workerSettings?.[i],
      })),
    };
    this.addresses = plan.ports.map((port) => `http://${reachableHost(plan.host)}:${port}`);
  }

  /** Resolves when all are ready, and with `pages` once each ingress has rendered those. */
  async start({ pages = false } = {}): Promise<void> {
    const { ingress, batcher, inference } = this.#running;
    await Promise.all([
      ...[...inference, ...batcher].map((each) => each.start()),
      ...ingress.map(async (each, i) => {
        await each.start();
        // For the first page it renders all.
        if (pages) await (await fetch(this.addresses[i]!)).text();
      }),
    ]);
  }

  /**
   * Waits until GET /health of every ingress answers `ok`. Throws after `healthyWithinMs`, with the last
   * output of each.
   */
  async waitUntilHealthy(stop: AbortSignal): Promise<void> {
    const waiting = new Stopwatch();
    for (const address of this.addresses) {
      for (;;) {
        const health = await readHealth(address, stop);
        if (health.ok) break;
        if (waiting.ranMs > healthyWithinMs) {
          const outputs = this.#all().map((each) => `${each.name}: ${each.lastOutput()}`);
          const fault = `${address}/health did not answer "ok" within ${healthyWithinMs} ms`;
          throw new Error(`${fault}. Its last answer: ${health.text}\n${outputs.join("\n")}`);
        }
        await sleep(healthPollEveryMs, undefined, { signal: stop });
      }
    }
  }

  /**
   * The supervisor of `ingress-1`, `batcher-2` and so on, for tests that kill one. Throws for an unknown
   * name.
   */
  find(name: string): Supervisor {
    const found = this.#all().find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no service ${name}`);
    return found;
  }

  #all(): Supervisor[] {
    return [...this.#running.inference, ...this.#running.batcher, ...this.#running.ingress];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of stopOrder) {
      await Promise.all(this.#running[service].map((each) => each.stop()));
    }
  }
}

/** Bundles what browsers run, unless that was done. */
export async function buildScripts(): Promise<void> {
  const failed = "the scripts of the pages could not be built";
  await capture(process.execPath, [join(repository, "web", "build.ts")], { failed });
}

const stopOrder = ["ingress", "batcher", "inference"] as const;
const healthPollEveryMs = 50;
/** All processes are ready by then: they only have to learn of each other. */
const healthyWithinMs = 30_000;

const nodeProgram = (service: Service) => ({
  command: process.execPath,
  // By default SIGUSR1 opens the inspector, through which the memory can be read.
  args: [...v8Flags[service], "--disable-sigusr1", join(repository, service, "src", "main.ts")],
});

/** The host for a URL. A service that listens on every interface is reached on loopback. */
export function reachableHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

async function readHealth(address: string, stop: AbortSignal): Promise<{ ok: boolean; text: string }> {
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(healthRequestMs)]);
    const response = await fetch(`${address}/health`, { signal });
    const text = await response.text();
    return { ok: response.ok && (JSON.parse(text) as { status?: unknown }).status === "ok", text };
  } catch (error) {
    stop.throwIfAborted();
    const { message, cause } = error as Error;
    return { ok: false, text: cause instanceof Error ? `${message}: ${cause.message}` : message };
  }
}

const healthRequestMs = 2_000;

/** Ingress i listens on PORT + i. */
export const ingressPorts = (host: string, port: number, count: number): PortSetting[] =>
  Array.from({ length: count }, (_, i) => ({ setting: "PORT", host, port: port + i }));

type Service = (typeof stopOrder)[number];

type ServicesPlan = {
  counts: Counts;
  access: ServerAccess;
  pool: string;
  host: string;
  /** One for each ingress. */
  ports: number[];
  /** Settings of single workers, over those of all. */
  workerSettings?: NodeJS.ProcessEnv[] | undefined;
  /** Threads of each worker's engine; undefined: the cores are divided among the workers. */
  threads: number | undefined;
  /** The other settings of the services: MODELS_DIR, LOG_LEVEL and the operator's environment. */
  environment: NodeJS.ProcessEnv;
  /** The operators' ports, by the name of the process: `{ "batcher-1": 9480 }`. One without has none. */
  operatorsPorts?: Record<string, number>;
};
