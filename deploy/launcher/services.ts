import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { telemetryOff } from "@faceline/models/onnxruntime-telemetry";
import type { WantedPort } from "./ports.ts";
import type { ServerUrls } from "./servers.ts";
import type { Counts } from "./settings.ts";
import { repository } from "./state-folder.ts";
import { Supervisor, type Watch } from "./supervisor.ts";
import { threadsEach } from "./worker-count.ts";

/**
 * The services of one pool, each a process. They start together, and stop in the way of a request: the ingresses
 * answer what they have accepted while batchers and workers still run, then the batchers finish, then the workers.
 */
export class Services implements AsyncDisposable {
  readonly addresses: string[];
  readonly #running: Record<Service, Supervisor[]>;

  constructor(plan: ServicesPlan, watch: Watch) {
    const { counts, environment } = plan;
    const supervise = (service: Service, count: number, own: (i: number) => NodeJS.ProcessEnv) =>
      Array.from({ length: count }, (_, i) => {
        const env = {
          ...oneArena,
          ...environment,
          ...telemetryOff,
          ...plan.urls,
          POOL: plan.pool,
          ...own(i),
        };
        const program = { name: `${service}-${i + 1}`, ...mainOf(service), env, ready: "message" } as const;
        return new Supervisor(program, watch);
      });

    const threads = `${plan.threads ?? threadsEach(counts.workers)}`;
    this.#running = {
      ingress: supervise("ingress", counts.ingress, (i) => ({
        HOST: plan.host,
        PORT: `${plan.ports[i]}`,
        // An operator may have it listen to further pools, which run elsewhere.
        POOLS: environment["POOLS"] || plan.pool,
      })),
      batcher: supervise("batcher", counts.batchers, () => ({})),
      inference: supervise("inference", counts.workers, () => ({ INTRA_OP_THREADS: threads })),
    };
    this.addresses = plan.ports.map((port) => `http://${reachable(plan.host)}:${port}`);
  }

  async start(): Promise<void> {
    await Promise.all(this.#all().map((each) => each.start()));
  }

  /** Waits until every ingress says that it could serve a call. */
  async healthy(withinMs: number, stop: AbortSignal): Promise<void> {
    const giveUpAt = performance.now() + withinMs;
    for (const address of this.addresses) {
      for (;;) {
        const health = await readHealth(address, stop);
        if (health.ok) break;
        if (performance.now() > giveUpAt) {
          const words = this.#all().map((each) => `${each.name}: ${each.lastWords()}`);
          throw new Error(
            `${address}/health did not say "ok" within ${withinMs} ms (HEALTHY_WITHIN_MS). It says: ${health.text}\n${words.join("\n")}`,
          );
        }
        await sleep(askEveryMs, undefined, { signal: stop });
      }
    }
  }

  /** `ingress-1`, `batcher-2`, `inference-1`: for tests that end one. */
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

/**
 * Of glibc's allocator, unless the operator has said otherwise. Each thread would keep an arena of its own, as large as the
 * most that it ever needed: in a worker the largest picture, elsewhere what V8's compiler took. No time is saved by it.
 */
const oneArena = { MALLOC_ARENA_MAX: "1" };

const stopOrder = ["ingress", "batcher", "inference"] as const;
const askEveryMs = 50;

const mainOf = (service: Service) => ({
  command: process.execPath,
  args: [join(repository, service, "src", "main.ts")],
});

/** An address that listens on every interface is asked on loopback. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

async function readHealth(address: string, stop: AbortSignal): Promise<{ ok: boolean; text: string }> {
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(askWithinMs)]);
    const reply = await fetch(`${address}/health`, { signal });
    const text = await reply.text();
    return { ok: reply.ok && (JSON.parse(text) as { status?: unknown }).status === "ok", text };
  } catch (error) {
    stop.throwIfAborted();
    return { ok: false, text: (error as Error).message };
  }
}

const askWithinMs = 2_000;

/** Ingress i listens on PORT + i. */
export const ingressPorts = (host: string, port: number, count: number): WantedPort[] =>
  Array.from({ length: count }, (_, i) => ({ setting: "PORT", host, port: port + i }));

export type Service = (typeof stopOrder)[number];

export type ServicesPlan = {
  counts: Counts;
  urls: ServerUrls;
  pool: string;
  host: string;
  /** One for each ingress. */
  ports: number[];
  /** Of each worker's engine; undefined: the cores, shared. */
  threads: number | undefined;
  /** Everything else the services read: MODELS_DIR, LOG_LEVEL and what the operator has set. */
  environment: NodeJS.ProcessEnv;
};
