import type { Lane } from "@faceline/contracts/ids";
import { poolChannel } from "@faceline/contracts/names";
import { type LaneState, PoolState } from "@faceline/contracts/pool";
import type { Clock } from "@faceline/contracts/runtime/clock";
import type { Log } from "@faceline/contracts/runtime/log";
import { readMessage } from "@faceline/contracts/runtime/message";
import { subscribe, type VolatileRedisConfig } from "@faceline/contracts/runtime/redis";

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

  const fresh = (): PoolState[] => {
    const since = clock.now() - freshMs;
    return [...states.values()].filter((each) => each.heardAt >= since).map((each) => each.state);
  };

  return {
    fresh,
    soonest(lane) {
      const able = fresh().flatMap(({ pool, lanes }) =>
        lanes.filter((each) => each.lane === lane && each.workers > 0).map((state) => ({ pool, state })),
      );
      const queue = ({ state }: (typeof able)[number]) => state.waiting / state.workers;
      return able.toSorted(
        (a, b) => a.state.expectedWaitMs - b.state.expectedWaitMs || queue(a) - queue(b),
      )[0];
    },
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
}

type PoolInboxParts = { config: VolatileRedisConfig; pools: string[]; clock: Clock; log: Log };

export type PoolInbox = AsyncDisposable & {
  fresh(): PoolState[];
  /** The pool that would begin soonest with a task of this lane; undefined: none has a worker for it. */
  soonest(lane: Lane): { pool: string; state: LaneState } | undefined;
};
