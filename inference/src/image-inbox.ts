import type { TaskId } from "@faceline/contracts/ids";
import { imageKey } from "@faceline/contracts/names";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";

/** Fetches the images of a batch; null where one is not there any more. */
export type ImageInbox = { fetch(tasks: TaskId[]): Promise<(Buffer | null)[]> };

export const openImageInbox = (redis: RedisConnection): ImageInbox => ({
  fetch: (tasks) => redis.mgetBuffer(tasks.map(imageKey)),
});
