import { bestEffort } from "@faceline/runtime/best-effort";
import type { VolatileConnection } from "@faceline/runtime/redis";
import { UncopiedCommand } from "@faceline/runtime/uncopied-command";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { imageKey } from "@faceline/contracts/wire/names";
import { ApiError, capacityReached } from "./call/api-error.ts";
import { dependencyUnavailable } from "./call/refusal-cause.ts";
import type { SharedBudget } from "./limits/shared-budget.ts";
import type { CallMemory } from "./memory/call-memory.ts";

/** An image outlives the deadline of its call by this, for a worker that fetches it at the last moment. */
const imageGraceMs = 2_000;

/**
 * Puts images into the volatile Redis for the time of their call, where workers fetch them (claim check
 * pattern). They go over a connection of their own: megabytes would delay what else the ingress asks Redis.
 * The bytes in flight of this process have a budget, so that a burst of large images is refused and never
 * fills Redis, nor this process while Redis does not read. Teams share it.
 */
export function openImageOutbox(parts: ImageOutboxParts): ImageOutbox {
  const { images: connection, commands, budget } = parts;
  return {
    async publish(tenant, { images, memory }, timeToLiveMs) {
      // The other connection notices first that the server is silent: it is always in use.
      const unavailable = () =>
        dependencyUnavailable("redis-volatile", commands.isStarved || connection.isStarved);
      if (!commands.usable || !connection.usable) throw unavailable();
      const callBytes = images.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
      const lease = budget.acquire(tenant, callBytes);
      if (lease === null)
        throw capacityReached("images_full", "Too many images are in flight: retry shortly.");
      const keys = images.map(({ task }) => imageKey(task));
      const expiresInMs = Math.ceil(timeToLiveMs + imageGraceMs);
      const sets = images.map(
        ({ bytes }, i) => new UncopiedCommand("set", [keys[i]!, bytes, "PX", expiresInMs]),
      );
      const held = memory.hold();
      const writes = Promise.allSettled(sets.map((set) => connection.sendCommand(set)));
      void Promise.all(sets.map((set) => set.ended())).then(() => held[Symbol.dispose]());
      const remove = () => {
        lease.release();
        // An image that cannot be removed now expires with its TTL.
        bestEffort("image_removal", commands.unlink(keys));
      };
      const results = await beforeDeadline(writes, timeToLiveMs);
      if (results?.every(({ status }) => status === "fulfilled")) return { [Symbol.dispose]: remove };
      // Until the last write has ended on the connection, or with it, its bytes are in this process.
      void writes.then(remove);
      if (results !== undefined) throw unavailable();
      throw new ApiError("upstream_timeout", "The deadline passed before the images were stored.");
    },
  };
}

/** Resolves to undefined after `ms`. */
async function beforeDeadline<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: passed, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), Math.max(0, ms));
  return Promise.race([promise, passed]).finally(() => clearTimeout(timer));
}

type ImageOutboxParts = {
  /** The connection that only images use. Its commands end with it, and have no other time limit. */
  images: VolatileConnection;
  commands: VolatileConnection;
  /** One for all image outboxes of the process. */
  budget: SharedBudget;
};

export type ImageOutbox = {
  /**
   * Stores the images for `timeToLiveMs` and a grace period. Disposing the result removes them. Throws
   * `queue_full` if they exceed the tenant's share of the bytes in flight, and `dependency_unavailable` if
   * Redis cannot take them.
   */
  publish(
    tenant: string,
    { images, memory }: { images: { task: TaskId; bytes: Buffer }[]; memory: CallMemory },
    timeToLiveMs: number,
  ): Promise<Disposable>;
};
