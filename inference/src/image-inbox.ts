import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@faceline/contracts/runtime/log";
import type { Metrics } from "@faceline/contracts/runtime/metrics/metrics";
import { observeCommands } from "@faceline/contracts/runtime/metrics/redis-metrics";
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

/** Images requested ahead: this keeps the connection busy, and bounds what Redis buffers. */
const imagesAheadMax = 4;

/**
 * Opens a Redis connection of its own, because everything that it receives is zeroed: only images may come
 * over it, and only those of one batch at a time. So this connection does not check its server while it is in
 * use; the worker's other connection does. Images may arrive slowly, but not pause for REDIS_COMMAND_MS.
 */
export async function openImageInbox(
  config: VolatileRedisConfig,
  log: Log,
  metrics: Metrics,
): Promise<ImageInbox> {
  const redis = await connectVolatileRedis(config, { log, whileInUse: false, untimed: true });
  observeCommands(metrics, [redis]);
  let receivedBytes = 0;
  return {
    receivedBytes: () => receivedBytes,
    async fetch(tasks, { withinMs }) {
      const received = new ReceivedImages(tasks, (bytes) => {
        receivedBytes += bytes;
      });
      let late = false;
      const giveUp = () => {
        late = true;
        redis.disconnect(true);
      };
      const timer = setTimeout(giveUp, withinMs);
      try {
        for (let tries = 1; ; tries++) {
          const error = await received.receive(redis);
          if (error === undefined) return received;
          if (tries === triesMax || late) throw error;
          await sleep(retryDelayMs);
        }
      } catch (error) {
        received[Symbol.dispose]();
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
  };
}

/**
 * The images of some tasks, and the socket's chunks that they came in: an image is copied out of several
 * chunks, or lies in one. Each image has a reply of its own, so that none is half received and unknown.
 */
class ReceivedImages implements FetchedImages {
  readonly images: (Buffer | null)[] = [];
  readonly #tasks: readonly TaskId[];
  readonly #chunks: Buffer[] = [];
  readonly #onBytes: (bytes: number) => void;

  constructor(tasks: readonly TaskId[], onBytes: (bytes: number) => void) {
    this.#tasks = tasks;
    this.#onBytes = onBytes;
  }

  /** Asks for the images that are missing. Returns the first error; what came before it is kept. */
  async receive(redis: RedisConnection): Promise<Error | undefined> {
    const { stream } = redis;
    const record = (chunk: Buffer): void => {
      this.#chunks.push(chunk);
      this.#onBytes(chunk.length);
    };
    const missing = [...this.#tasks.keys()].filter((index) => this.images[index] === undefined).values();
    const receiveNext = async () => {
      for (const index of missing) {
        this.images[index] = await redis.getBuffer(imageKey(this.#tasks[index]!));
      }
    };
    stream.on("data", record);
    const ends = await Promise.allSettled(Array.from({ length: imagesAheadMax }, receiveNext));
    stream.off("data", record);
    return ends.find((end) => end.status === "rejected")?.reason as Error | undefined;
  }

  [Symbol.dispose](): void {
    for (const image of this.images) image?.fill(0);
    for (const chunk of this.#chunks) chunk.fill(0);
  }
}

/**
 * Fetches the images of a batch, one batch at a time. Throws when Redis stays away, and after `withinMs`,
 * when nobody waits for the batch any more.
 */
export type ImageInbox = AsyncDisposable & {
  fetch(tasks: TaskId[], limit: { withinMs: number }): Promise<FetchedImages>;
  /** Bytes that have come so far, of all batches: they grow while images arrive. */
  receivedBytes(): number;
};

/** An image is null where it has expired or was removed. Disposing zeroes the images. */
type FetchedImages = Disposable & { readonly images: (Buffer | null)[] };
