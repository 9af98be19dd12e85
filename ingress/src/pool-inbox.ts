import { runningTime } from "@faceline/runtime/core-waits";
import type { Log } from "@faceline/runtime/log";
import { readMessage } from "@faceline/runtime/message";
import type { VolatileServer } from "@faceline/runtime/redis";
import { subscribe } from "@faceline/runtime/redis-subscription";
import { poolChannel } from "@faceline/contracts/wire/names";
import { PoolState } from "@faceline/contracts/wire/pool-state";
import { KnownPools } from "./pools/known-pools.ts";
import type { PoolView } from "./pools/pool-choice.ts";

/** Receives the states that the batchers of the pools publish. */
export async function openPoolInbox({ config, pools, log }: PoolInboxParts): Promise<PoolInbox> {
  const known = new KnownPools();
  const subscription = await subscribe(config, pools.map(poolChannel), (bytes) => {
    const message = readMessage(PoolState, bytes);
    if (!message.ok) {
      log.error({ reason: message.reason }, "a pool's state could not be read");
      return;
    }
    known.receive(message.value, runningTime());
  });

  return {
    fresh: () => known.fresh(runningTime()),
    countSent: (pool, lane, tasks) => known.countSent(pool, lane, tasks),
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
}

type PoolInboxParts = { config: VolatileServer; pools: string[]; log: Log };

export type PoolInbox = AsyncDisposable & {
  /**
   * The last states of the pools that have reported within two seconds, or whose standby takes over. Time in
   * which this process had no core does not count: the states of that time wait to be read.
   */
  fresh(): PoolView[];
  /** Tasks were sent to a pool. Its next state has them. */
  countSent(pool: string, lane: string, tasks: number): void;
};
