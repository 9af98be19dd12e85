import { freePorts } from "@faceline/deploy/launcher/ports";
import { Services } from "@faceline/deploy/launcher/services";
import type { LaunchOptions } from "@faceline/deploy/launcher/settings";
import type { Steps } from "@faceline/deploy/launcher/steps";
import type { TestServers } from "@faceline/testing/test-servers";
import type { Target } from "./load/http-client.ts";

/** The environment of every part of the benchmark. */
export type Bench = {
  servers: TestServers;
  launch: LaunchOptions;
  /** An API key that the servers know. */
  key: string;
  /** Threads of one run of the real engine. */
  threads: number;
  /** Two requests of each: to see that everything works to its end, not to quote. */
  quick: boolean;
  /** Whether the cards of the models get what is measured. */
  writeCards: boolean;
  /** Folder of results and installed peers. */
  folder: string;
  steps: Steps;
  say(line: string): void;
  /** Writes what a part has measured so far: a fault after it loses none of that. */
  save(measured: Measured): Promise<unknown>;
  stop: AbortSignal;
};

export type Part = (bench: Bench) => Promise<PartResult>;

/** Is kept as JSON, with every single value. */
export type Measured = { plan: unknown; results: unknown };

export type PartResult = Measured & {
  tables: string;
  /**
   * A sentence for each check that failed, also in the tables. With one of them the command ends with exit
   * code 1.
   */
  failedChecks?: readonly string[];
};

/**
 * Starts one of each service, or as many workers as `engine` says, on the benchmark's broker and Redis
 * servers. Throws when they are not healthy in time.
 */
export async function openStack(
  bench: Bench,
  settings: NodeJS.ProcessEnv = {},
  { workers = 1, threads = bench.threads }: Partial<EngineSize> = {},
): Promise<Stack> {
  const { servers, launch, key } = bench;
  const counts = { workers, batchers: 1, ingress: 1 };
  await using opened = new AsyncDisposableStack();
  const services = opened.use(
    new Services(
      {
        counts,
        access: servers.access,
        pool: launch.POOL,
        host: "127.0.0.1",
        ports: await freePorts(1),
        threads,
        environment: { ...servers.environment, LOG_LEVEL: "warn", ...settings },
      },
      servers.watch,
    ),
  );
  await services.start();
  await services.waitUntilHealthy(bench.stop);
  const address = services.addresses[0]!;
  const open = opened.move();
  return {
    target: (path, bodies, headers = {}) => ({
      url: `${address}${path}`,
      headers: { "x-api-key": key, ...headers },
      bodies: bodies.map((body) => JSON.stringify(body)),
    }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/**
 * The process ids of services, broker and Redis servers that run now, by name; each leads a process group.
 */
export const leadersOf = ({ servers }: Bench): Record<string, number> =>
  servers.watch.record?.leaders() ?? {};

/** `threads`: of a run, in each worker. */
export type EngineSize = { workers: number; threads: number };

export type Stack = AsyncDisposable & {
  target(path: string, bodies: unknown[], headers?: Record<string, string>): Target;
};
