import type { Clock } from "@faceline/contracts/runtime/clock";
import type { Log } from "@faceline/contracts/runtime/log";
import { readMessage } from "@faceline/contracts/runtime/message";
import { subscribe, type VolatileServer } from "@faceline/contracts/runtime/redis";
import { poolChannel } from "@faceline/contracts/wire/names";
import { PoolState } from "@faceline/contracts/wire/pool-state";
import type { PoolView } from "./dispatch/pool-choice.ts";
import { ReceivedState } from "./dispatch/received-state.ts";

// Covered by ../../deploy/e2e/loss.stack.test.ts: without it no pool is known.

/** A pool whose last state is older than this counts as absent. */
const stateValidMs = 2_000;

/**
 * Receives the states that the batchers of the pools publish. A state that arrives out of order is dropped.
 */
export async function openPoolInbox({ config, pools, clock, log }: PoolInboxParts): Promise<PoolInbox> {
  const latest = new Map<string, ReceivedState>();
  const subscription = await subscribe(config, pools.map(poolChannel), (bytes) => {
    const message = readMessage(PoolState, bytes);
    if (!message.ok) {
      log.error({ reason: message.reason }, "a pool's state could not be read");
      return;
    }
    const state = message.value;
    const previous = latest.get(state.pool)?.state;
    const stale = previous?.batcher === state.batcher && previous.sequence >= state.sequence;
    if (!stale) latest.set(state.pool, new ReceivedState(state, clock.now()));
  });

  return {
    fresh() {
      const since = clock.now() - stateValidMs;
      return [...latest.values()].filter(({ receivedAt }) => receivedAt >= since);
    },
    countSent(pool, lane, tasks) {
      latest.get(pool)?.countSent(lane, tasks);
    },
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
}

type PoolInboxParts = { config: VolatileServer; pools: string[]; clock: Clock; log: Log };

export type PoolInbox = AsyncDisposable & {
  /** The last states of the pools that have reported within two seconds. */
  fresh(): PoolView[];
  /** Tasks were sent to a pool. Its next state has them. */
  countSent(pool: string, lane: string, tasks: number): void;
};
