import type { Log } from "@faceline/runtime/log";
import { readMessage } from "@faceline/runtime/message";
import type { VolatileRedisConfig } from "@faceline/runtime/redis";
import { subscribe } from "@faceline/runtime/redis-subscription";
import { poolChannel } from "@faceline/contracts/wire/names";
import { type LaneState, PoolState } from "@faceline/contracts/wire/pool-state";

/** Receives the states of the pool. One that is lost is followed by another within 500 ms. */
export async function openPoolInbox({
  config,
  pool,
  log,
  onLanes,
}: PoolInboxParts): Promise<AsyncDisposable> {
  return subscribe(config, [poolChannel(pool)], (bytes) => {
    const message = readMessage(PoolState, bytes);
    if (message.ok) onLanes(message.value.lanes);
    else log.warn({ reason: message.reason }, "a pool's state could not be read");
  });
}

type PoolInboxParts = {
  config: VolatileRedisConfig;
  pool: string;
  log: Log;
  onLanes(lanes: LaneState[]): void;
};
