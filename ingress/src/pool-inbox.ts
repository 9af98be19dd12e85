import type { Clock } from "@faceline/contracts/runtime/clock";
import type { Log } from "@faceline/contracts/runtime/log";
import { readMessage } from "@faceline/contracts/runtime/message";
import { subscribe, type VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import { poolChannel } from "@faceline/contracts/wire/names";
import { PoolState } from "@faceline/contracts/wire/pool-state";

/** A state older than this says nothing: the pool counts as absent. */
const freshMs = 2_000;

/** What the pools say of themselves. */
export async function openPoolInbox({ config, pools, clock, log }: PoolInboxParts): Promise<PoolInbox> {
  const states = new Map<string, { state: PoolState; heardAt: number }>();
  const subscription = await subscribe(config, pools.map(poolChannel), (message) => {
    const read = readMessage(PoolState, message);
    if (!read.ok) {
      log.error({ reason: read.reason }, "a pool's state could not be read");
      return;
    }
    const known = states.get(read.value.pool)?.state;
    const stale = known?.batcher === read.value.batcher && known.sequence >= read.value.sequence;
    if (!stale) states.set(read.value.pool, { state: read.value, heardAt: clock.now() });
  });

  return {
    fresh() {
      const since = clock.now() - freshMs;
      return [...states.values()].filter((each) => each.heardAt >= since).map((each) => each.state);
    },
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
}

type PoolInboxParts = { config: VolatileRedisConfig; pools: string[]; clock: Clock; log: Log };

export type PoolInbox = AsyncDisposable & {
  fresh(): PoolState[];
};
