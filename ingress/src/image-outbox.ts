import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { imageKey } from "@faceline/contracts/wire/names";
import { Refusal } from "./refusal.ts";

/** An image outlives its deadline by this, for a worker that fetches it at the last moment. */
const imageGraceMs = 2_000;

/**
 * Lays images where workers fetch them (claim check): in the volatile Redis, for the time of the call. The bytes in
 * flight of this ingress have a budget, so that a burst of large pictures is refused and never fills the server.
 */
export function openImageOutbox(redis: RedisConnection, bytesMax: number): ImageOutbox {
  let bytesInFlight = 0;

  return {
    async lay(images, lastsMs) {
      const bytes = images.reduce((sum, each) => sum + each.bytes.byteLength, 0);
      if (bytesInFlight + bytes > bytesMax) {
        throw new Refusal("queue_full", "Too many images are in flight; try again shortly.", {
          retryAfterMs: 1_000,
        });
      }
      bytesInFlight += bytes;
      const keys = images.map((each) => imageKey(each.task));
      const take = () => {
        bytesInFlight -= bytes;
        // Nobody's reply waits for it, and what cannot be taken away now goes with its TTL.
        redis.unlink(keys).catch(() => {});
      };
      const laid = await Promise.allSettled(
        images.map(({ bytes }, i) => redis.set(keys[i]!, bytes, "PX", Math.ceil(lastsMs + imageGraceMs))),
      );
      if (laid.every(({ status }) => status === "fulfilled")) return { [Symbol.dispose]: take };
      take();
      throw new Refusal("dependency_unavailable", "Images cannot be taken right now; try again shortly.", {
        retryAfterMs: 1_000,
      });
    },
  };
}

export type ImageOutbox = {
  /** Disposing of what was laid takes it away again. Throws a Refusal: over the budget, or Redis cannot take it. */
  lay(images: { task: TaskId; bytes: Buffer }[], lastsMs: number): Promise<Disposable>;
};
