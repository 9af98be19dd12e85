import { bestEffort } from "@faceline/contracts/runtime/best-effort";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { imageKey } from "@faceline/contracts/wire/names";
import { capacityReached, dependencyUnavailable } from "./call/api-error.ts";
import { SharedBudget } from "./limits/shared-budget.ts";

// Covered by ../../deploy/e2e/pictures.stack.test.ts and ../../deploy/e2e/volatile-redis.stack.test.ts.

/** An image outlives the deadline of its call by this, for a worker that fetches it at the last moment. */
const imageGraceMs = 2_000;

/**
 * Puts images into the volatile Redis for the time of their call, where workers fetch them (claim check
 * pattern). The bytes in flight of this process are limited to `bytesMax`, so that a burst of large images is
 * refused and never fills Redis. Teams share them.
 */
export function openImageOutbox(redis: RedisConnection, bytesMax: number): ImageOutbox {
  const budget = new SharedBudget(bytesMax);

  return {
    async publish(tenant, images, timeToLiveMs) {
      const callBytes = images.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
      const lease = budget.acquire(tenant, callBytes);
      if (lease === null) throw capacityReached("Too many images are in flight; try again shortly.");
      const keys = images.map(({ task }) => imageKey(task));
      const remove = () => {
        lease.release();
        // An image that cannot be removed now expires with its TTL.
        bestEffort("image_removal", redis.unlink(keys));
      };
      const expiresInMs = Math.ceil(timeToLiveMs + imageGraceMs);
      const writes = await Promise.allSettled(
        images.map(({ bytes }, i) => redis.set(keys[i]!, bytes, "PX", expiresInMs)),
      );
      if (writes.every(({ status }) => status === "fulfilled")) return { [Symbol.dispose]: remove };
      remove();
      throw dependencyUnavailable("Images cannot be taken right now; try again shortly.");
    },
  };
}

export type ImageOutbox = {
  /**
   * Stores the images for `timeToLiveMs` and a grace period. Disposing the result removes them. Throws
   * `queue_full` if they exceed the tenant's share of the bytes in flight, and `dependency_unavailable` if
   * Redis cannot take them.
   */
  publish(
    tenant: string,
    images: { task: TaskId; bytes: Buffer }[],
    timeToLiveMs: number,
  ): Promise<Disposable>;
};
