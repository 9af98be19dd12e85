import { setTimeout as pause } from "node:timers/promises";
import type { TaskId } from "@faceline/contracts/ids";
import { imageKey } from "@faceline/contracts/names";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";

/** Fetches the images of a batch; null where one is not there any more. Throws when Redis stays away. */
export type ImageInbox = { fetch(tasks: TaskId[]): Promise<(Buffer | null)[]> };

/** A connection that breaks is back within this, or the server is away: then the batch goes back to the batcher. */
const triesMax = 8;
const againAfterMs = 100;

export const openImageInbox = (redis: RedisConnection): ImageInbox => ({
  async fetch(tasks) {
    for (let tries = 1; ; tries++) {
      try {
        return await redis.mgetBuffer(tasks.map(imageKey));
      } catch (error) {
        if (tries === triesMax) throw error;
      }
      await pause(againAfterMs);
    }
  },
});
