import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "@faceline/contracts/runtime/log";
import {
  connectVolatileRedis,
  type RedisConnection,
  type VolatileRedisConfig,
} from "@faceline/contracts/runtime/redis";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { imageKey } from "@faceline/contracts/wire/names";

/** A connection that breaks is back within this, or the server is away: then the batch goes back to the batcher. */
const triesMax = 8;
const againAfterMs = 100;

/**
 * Has a connection of its own, because what comes over it is zeroed: nothing but images may come there, and those of one
 * batch at a time. So this server is not checked while images come; the worker's other connection does that.
 */
export async function openImageInbox(config: VolatileRedisConfig, log: Log): Promise<ImageInbox> {
  const redis = await connectVolatileRedis(config, { log, whileInUse: false });
  return {
    async fetch(tasks) {
      for (let tries = 1; ; tries++) {
        const received = receive(redis);
        try {
          const images = await redis.mgetBuffer(tasks.map(imageKey));
          return {
            images,
            [Symbol.dispose]() {
              for (const image of images) image?.fill(0);
              received[Symbol.dispose]();
            },
          };
        } catch (error) {
          received[Symbol.dispose]();
          if (tries === triesMax) throw error;
        }
        await pause(againAfterMs);
      }
    },
    [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
  };
}

/** What the socket hands over from now on. An image is put together from several of these, or lies in one of them. */
function receive({ stream }: RedisConnection): Disposable {
  const received: Buffer[] = [];
  const keep = (bytes: Buffer): void => void received.push(bytes);
  stream.on("data", keep);
  return {
    [Symbol.dispose]() {
      stream.off("data", keep);
      for (const bytes of received) bytes.fill(0);
    },
  };
}

/** Fetches the images of a batch, one batch at a time. Throws when Redis stays away. */
export type ImageInbox = AsyncDisposable & { fetch(tasks: TaskId[]): Promise<FetchedImages> };

/** Null where one is not there any more. Disposing of them zeroes them. */
export type FetchedImages = Disposable & { images: (Buffer | null)[] };
