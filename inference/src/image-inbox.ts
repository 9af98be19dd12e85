import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@faceline/runtime/log";
import type { Metrics } from "@faceline/runtime/metrics/metrics";
import { observeCommands } from "@faceline/runtime/metrics/redis-metrics";
import {
  connectVolatileRedis,
  type RedisConnection,
  type VolatileRedisConfig,
} from "@faceline/runtime/redis";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { imageKey } from "@faceline/contracts/wire/names";
import { zeroAndFree } from "./decode/zero-and-free.ts";

/**
 * A broken connection is back within these attempts, or the server is down: then the batch goes back to the
 * batcher.
 */
const triesMax = 8;
const retryDelayMs = 100;

/** Images requested ahead: this keeps the connection busy, and bounds what Redis buffers. */
const imagesAheadMax = 4;

/**
 * Opens Redis connections of its own, one for each batch, because everything that they receive is zeroed:
 * only images may come over them. So these connections do not check their server while they are in use; the
 * worker's other connection does. Images may arrive slowly, but must not pause for REDIS_COMMAND_MS.
 */
export async function openImageInbox({
  config,
  log,
  metrics,
  batchesMax,
}: ImageInboxParts): Promise<ImageInbox> {
  const options = { log, whileInUse: false, untimed: true };
  const connections = await Promise.all(
    Array.from({ length: batchesMax }, () => connectVolatileRedis(config, options)),
  );
  observeCommands(metrics, "redis-volatile", connections);
  const free = [...connections];
  let receivedBytes = 0;
  return {
    receivedBytes: () => receivedBytes,
    async fetch(tasks, { withinMs }) {
      const redis = free.pop();
      assert(redis !== undefined, "more batches are fetched at the same time than there are connections");
      const received = new ReceivedImages(tasks, {
        onBytes: (bytes) => {
          receivedBytes += bytes;
        },
        onZeroed: () => free.push(redis),
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
    async [Symbol.asyncDispose]() {
      await Promise.all(connections.map((redis) => redis[Symbol.asyncDispose]()));
    },
  };
}

/**
 * The images of some tasks, and the socket's chunks that they came in: an image is copied out of several
 * chunks, or lies in one. Each image has a response of its own, so that none is half received and unknown.
 */
class ReceivedImages implements FetchedImages {
  readonly images: (Buffer | null)[] = [];
  readonly #tasks: readonly TaskId[];
  readonly #chunks: Buffer[] = [];
  readonly #listeners: ReceptionListeners;
  #isZeroed = false;

  constructor(tasks: readonly TaskId[], listeners: ReceptionListeners) {
    this.#tasks = tasks;
    this.#listeners = listeners;
  }

  /** Asks for the images that are missing. Returns the first error; what came before it is kept. */
  async receive(redis: RedisConnection): Promise<Error | undefined> {
    const { stream } = redis;
    const record = (chunk: Buffer): void => {
      this.#chunks.push(chunk);
      this.#listeners.onBytes(chunk.length);
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
    if (this.#isZeroed) return;
    this.#isZeroed = true;
    for (const image of this.images) if (image) zeroAndFree(image);
    for (const chunk of this.#chunks) zeroAndFree(chunk);
    this.#listeners.onZeroed();
  }
}

type ReceptionListeners = {
  onBytes(bytes: number): void;
  /** Another batch may use the connection. */
  onZeroed(): void;
};

type ImageInboxParts = {
  config: VolatileRedisConfig;
  log: Log;
  metrics: Metrics;
  /** Batches whose images are held at the same time, until they are disposed of. */
  batchesMax: number;
};

/**
 * Fetches the images of a batch, of at most `batchesMax` batches at the same time. Throws if Redis stays
 * away, and after `withinMs`, when nobody waits for the batch any longer.
 */
export type ImageInbox = AsyncDisposable & {
  fetch(tasks: TaskId[], limit: { withinMs: number }): Promise<FetchedImages>;
  /** Bytes that have come so far, of all batches: they grow while images arrive. */
  receivedBytes(): number;
};

/** An image is null if it has expired or was removed. Disposing zeroes the images. */
type FetchedImages = Disposable & { readonly images: (Buffer | null)[] };
