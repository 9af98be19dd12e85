import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@faceline/contracts/runtime/log";
import {
  connectVolatileRedis,
  type RedisConnection,
  type VolatileRedisConfig,
} from "@faceline/contracts/runtime/redis";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { imageKey } from "@faceline/contracts/wire/names";

/**
 * A broken connection is back within these tries, or the server is away: then the batch goes back to the
 * batcher.
 */
const triesMax = 8;
const retryDelayMs = 100;

/**
 * Opens a Redis connection of its own, because everything that it receives is zeroed: only images may come
 * over it, and only those of one batch at a time. So this connection does not check its server while it is in
 * use; the worker's other connection does. The end-to-end test memory.test.ts covers it.
 */
export async function openImageInbox(config: VolatileRedisConfig, log: Log): Promise<ImageInbox> {
  const redis = await connectVolatileRedis(config, { log, whileInUse: false });
  return {
    async fetch(tasks) {
      for (let tries = 1; ; tries++) {
        const chunks = recordChunks(redis);
        try {
          const images = await redis.mgetBuffer(tasks.map(imageKey));
          return {
            images,
            [Symbol.dispose]() {
              for (const image of images) image?.fill(0);
              chunks[Symbol.dispose]();
            },
          };
        } catch (error) {
          chunks[Symbol.dispose]();
          if (tries === triesMax) throw error;
        }
        await sleep(retryDelayMs);
      }
    },
    [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
  };
}

/**
 * Records the socket's chunks and zeroes them in the end. An image is copied out of several chunks, or lies
 * in one.
 */
function recordChunks({ stream }: RedisConnection): Disposable {
  const chunks: Buffer[] = [];
  const record = (chunk: Buffer): void => void chunks.push(chunk);
  stream.on("data", record);
  return {
    [Symbol.dispose]() {
      stream.off("data", record);
      for (const chunk of chunks) chunk.fill(0);
    },
  };
}

/** Fetches the images of a batch, one batch at a time. Throws when Redis stays away. */
export type ImageInbox = AsyncDisposable & { fetch(tasks: TaskId[]): Promise<FetchedImages> };

/** An image is null where it has expired or was removed. Disposing zeroes the images. */
type FetchedImages = Disposable & { images: (Buffer | null)[] };
