import { markCancelled } from "@faceline/runtime/answers";
import { bestEffort } from "@faceline/runtime/best-effort";
import type { RedisConnection } from "@faceline/runtime/redis";
import type { Cancel } from "@faceline/contracts/wire/cancel";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { cancelsChannel } from "@faceline/contracts/wire/names";

/**
 * Tells the batcher of a pool, and the workers that have its tasks, that nobody waits for a request. To be
 * sent before its images are removed, which would look lost. A lost message costs a run at most.
 */
export type CancelOutbox = {
  /** `remainingMs`: time until the deadline of the call. */
  send(pool: string, cancel: Cancel, tasks: readonly TaskId[], remainingMs: number): void;
};

export const openCancelOutbox = (redis: RedisConnection): CancelOutbox => ({
  send(pool, cancel, tasks, remainingMs) {
    bestEffort("cancel_publish", redis.publish(cancelsChannel(pool), JSON.stringify(cancel)));
    bestEffort("cancel_publish", markCancelled(redis, tasks, remainingMs));
  },
});
