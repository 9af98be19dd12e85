import { bestEffort } from "@faceline/runtime/best-effort";
import type { RedisConnection } from "@faceline/runtime/redis";
import type { Cancel } from "@faceline/contracts/wire/cancel";
import { cancelsChannel } from "@faceline/contracts/wire/names";

/**
 * Tells the batcher of a pool that nobody waits for a call any more. A lost message costs at most a wasted
 * run.
 */
export type CancelOutbox = { send(pool: string, cancel: Cancel): void };

export const openCancelOutbox = (redis: RedisConnection): CancelOutbox => ({
  send(pool, cancel) {
    bestEffort("cancel_publish", redis.publish(cancelsChannel(pool), JSON.stringify(cancel)));
  },
});
