import { freePorts } from "../launcher/ports.ts";
import { Services } from "../launcher/services.ts";
import type { Bench } from "./bench.ts";
import type { Target } from "./http-client.ts";

/** One of each service, or as many workers as `engine` says, fresh, on the benchmark's broker and Redis servers. */
export async function openStack(
  bench: Bench,
  settings: NodeJS.ProcessEnv = {},
  engine: EngineSize = { workers: 1, threads: bench.threads },
): Promise<Stack> {
  const { servers, launch, key } = bench;
  await using opened = new AsyncDisposableStack();
  const services = opened.use(
    new Services(
      {
        counts: { workers: engine.workers, batchers: 1, ingress: 1 },
        urls: servers.urls,
        pool: launch.POOL,
        host: "127.0.0.1",
        ports: await freePorts(1),
        threads: engine.threads,
        environment: { ...servers.environment, LOG_LEVEL: "warn", ...settings },
      },
      servers.watch,
    ),
  );
  await services.start();
  await services.waitUntilHealthy(launch.HEALTHY_WITHIN_MS, bench.stop);
  const address = services.addresses[0]!;
  const open = opened.move();
  return {
    address,
    target: (path, bodies, headers = {}) => ({
      url: `${address}${path}`,
      headers: { "x-api-key": key, ...headers },
      bodies: bodies.map((body) => JSON.stringify(body)),
    }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** What its three services are called where processes are told apart; the broker and Redis go by their own names. */
export const serviceNames = ["ingress-1", "batcher-1", "inference-1"];

/** `threads`: of a run, in each worker. */
export type EngineSize = { workers: number; threads: number };

export type Stack = AsyncDisposable & {
  address: string;
  target(path: string, bodies: unknown[], headers?: Record<string, string>): Target;
};
