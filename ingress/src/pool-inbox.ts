import { Stopwatch } from "@faceline/runtime/starvation";
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
  let receivedAt = 0;
  let sinceReceived = new Stopwatch();
  const subscription = await subscribe(config, pools.map(poolChannel), (bytes) => {
    const message = readMessage(PoolState, bytes);
    if (!message.ok) {
      log.error({ reason: message.reason }, "a pool's state could not be read");
      return;
    }
    receivedAt += sinceReceived.ranMs;
    sinceReceived = new Stopwatch();
    known.receive(message.value, receivedAt);
  });

  return {
    fresh: () => known.fresh(receivedAt + sinceReceived.ranMs),
    countSent: (pool, lane, tasks) => known.countSent(pool, lane, tasks),
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
}

type PoolInboxParts = { config: VolatileServer; pools: string[]; log: Log };

export type PoolInbox = AsyncDisposable & {
  /**
   * The last states of the pools that have reported within two seconds in which this process could run, or
   * whose standby takes over. Without a core, later states wait to be read.
   */
  fresh(): PoolView[];
  /** Tasks were sent to a pool. Its next state has them. */
  countSent(pool: string, lane: string, tasks: number): void;
};
