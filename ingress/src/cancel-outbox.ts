import type { Cancel } from "@faceline/contracts/cancel";
import { cancelsChannel } from "@faceline/contracts/names";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";

/** Says that nobody waits for a call any more. Lost, it costs a run. */
export type CancelOutbox = { send(pool: string, cancel: Cancel): Promise<void> };

export const openCancelOutbox = (redis: RedisConnection): CancelOutbox => ({
  async send(pool, cancel) {
    await redis.publish(cancelsChannel(pool), JSON.stringify(cancel)).catch(() => {});
  },
});
