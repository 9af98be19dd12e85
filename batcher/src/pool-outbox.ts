import { poolChannel } from "@faceline/contracts/names";
import type { PoolState } from "@faceline/contracts/pool";
import type { Clock } from "@faceline/contracts/runtime/clock";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import { laneStates } from "./scheduling/pool-state.ts";
import type { State } from "./scheduling/state.ts";

/** Publishes the pool's state while this batcher is the active one. A state that does not get through is followed by the next. */
export function openPoolOutbox({
  redis,
  state,
  clock,
  pool,
  everyMs,
  active,
}: PoolOutboxParts): AsyncDisposable {
  let sequence = 0;
  const publish = async (): Promise<void> => {
    if (!active()) return;
    const now = clock.now();
    const message: PoolState = {
      pool,
      batcher: state.batcher,
      sequence: sequence++,
      sentAt: now,
      lanes: laneStates(state, now),
    };
    await redis.publish(poolChannel(pool), JSON.stringify(message));
  };
  const timer = setInterval(() => void publish().catch(() => {}), everyMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}

type PoolOutboxParts = {
  redis: RedisConnection;
  state: State;
  clock: Clock;
  pool: string;
  everyMs: number;
  active(): boolean;
};
