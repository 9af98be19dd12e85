import { setTimeout as sleep } from "node:timers/promises";
import { openSharedClock } from "@faceline/runtime/clock";
import {
  connectVolatileRedis,
  type VolatileConnection,
  type VolatileRedisConfig,
} from "@faceline/runtime/redis";
import type { PoolView } from "./pool-choice.ts";
import type { PoolRedisSettings } from "./pool-redis-settings.ts";
import { openPoolServer, type PoolServer, type PoolServerParts } from "./pool-server.ts";

/** A server that cannot be used is tried again this long after the last try. */
const retryAfterMs = 1_000;

/**
 * Opens the volatile Redis of every pool: `shared`, which the other parts of the ingress use too, or one of
 * the pool's own. If a pool's own server cannot be used at startup, only that pool is left out; this is
 * logged, and retried until it succeeds.
 */
export async function openPoolServers(parts: PoolServersParts): Promise<PoolServers> {
  const { config, shared, log, ownConnected } = parts;
  const own = config.POOL_REDIS_VOLATILE_URLS;
  const stop = new AbortController();
  const servers = new Map<string, PoolServer>();

  const sharing = config.POOLS.filter((pool) => !own.has(pool));
  const sharedServer =
    sharing.length > 0 ? await openPoolServer({ ...parts, ...shared, pools: sharing }) : undefined;
  for (const pool of sharing) servers.set(pool, sharedServer!);

  const tryToOpen = async (pool: string): Promise<boolean> => {
    try {
      const { server, connections } = await openOwnServer(parts, pool);
      servers.set(pool, server);
      ownConnected(connections);
      return true;
    } catch (error) {
      const { message } = error as Error;
      log.error(
        { reason: message, pool },
        "the Redis of a pool cannot be used; other pools get its requests",
      );
      return false;
    }
  };
  const openInBackground = async (pool: string): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleep(retryAfterMs, undefined, { signal: stop.signal }).catch(() => {});
      if (stop.signal.aborted || (await tryToOpen(pool))) return;
    }
  };
  const firstTries = await Promise.all(
    [...own.keys()].map(async (pool) => ({ pool, isOpen: await tryToOpen(pool) })),
  );
  const retries = firstTries.filter(({ isOpen }) => !isOpen).map(({ pool }) => openInBackground(pool));
  const all = (): Set<PoolServer> => new Set(servers.values());
  return {
    fresh() {
      const usable = [...all()].filter((server) => server.usable());
      // Without any pool, the error of the server is more useful than that no pool is there.
      const chosen = usable.length > 0 ? usable : [...all()];
      return chosen.flatMap((server) => server.states.fresh());
    },
    serverOf: (pool) => servers.get(pool)!,
    connected: () => [...all()].some(({ answers }) => answers.isHealthy()),
    sharedHealthy: () => sharedServer?.healthy() ?? true,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(retries);
      await Promise.all([...all()].map((server) => server[Symbol.asyncDispose]()));
    },
  };
}

/** Throws if the server cannot be used. Then none of its connections is left open. */
async function openOwnServer(parts: PoolServersParts, pool: string): Promise<OwnServer> {
  const { config, log } = parts;
  await using opened = new AsyncDisposableStack();
  const server = {
    ...config,
    addressSetting: `POOL_REDIS_VOLATILE_URLS (${pool})`,
    REDIS_VOLATILE_URL: config.POOL_REDIS_VOLATILE_URLS.get(pool)!,
    REDIS_VOLATILE_PASSWORD_FILE: config.POOL_REDIS_VOLATILE_PASSWORD_FILES.get(pool),
  };
  const commands = opened.use(await connectVolatileRedis(server, { log }));
  const images = opened.use(await connectVolatileRedis(server, { untimed: true, whileInUse: false }));
  const clock = opened.use(await openSharedClock(commands));
  const own = opened.use(
    await openPoolServer({ ...parts, config: server, pools: [pool], commands, images, clock }),
  );
  const open = opened.move();
  return {
    server: { ...own, [Symbol.asyncDispose]: () => open.disposeAsync() },
    connections: [commands, images],
  };
}

type OwnServer = { server: PoolServer; connections: VolatileConnection[] };

type PoolServersParts = Pick<PoolServerParts, "ingress" | "budget" | "log"> & {
  config: VolatileRedisConfig & PoolRedisSettings;
  /** The server at REDIS_VOLATILE_URL. */
  shared: Pick<PoolServerParts, "clock" | "commands" | "images">;
  /** Called with the connections of a server that was opened. */
  ownConnected(connections: VolatileConnection[]): void;
};

export type PoolServers = AsyncDisposable & {
  /** The last states of the pools that have reported within two seconds and whose server is usable. */
  fresh(): PoolView[];
  /** The server of a pool whose state was in `fresh`. */
  serverOf(pool: string): PoolServer;
  /**
   * Whether answers of at least one pool can be received now, or could be if this process had the CPU:
   * requests find the answers from such a time by their keys.
   */
  connected(): boolean;
  /** False while the server at REDIS_VOLATILE_URL cannot take calls and is to blame. */
  sharedHealthy(): boolean;
};
