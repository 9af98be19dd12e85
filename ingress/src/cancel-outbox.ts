import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import type { Cancel } from "@faceline/contracts/wire/cancel";
import { cancelsChannel } from "@faceline/contracts/wire/names";

/** Says that nobody waits for a call any more. Lost, it costs a run. */
export type CancelOutbox = { send(pool: string, cancel: Cancel): Promise<void> };

export const openCancelOutbox = (redis: RedisConnection): CancelOutbox => ({
  async send(pool, cancel) {
    await redis.publish(cancelsChannel(pool), JSON.stringify(cancel)).catch(() => {});
  },
});
