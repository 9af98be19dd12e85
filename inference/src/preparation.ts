import type { Clock } from "@faceline/runtime/clock";
import { coreWaits } from "@faceline/runtime/core-waits";
import type { Log } from "@faceline/runtime/log";
import { taskIds } from "@faceline/runtime/log-ids";
import { ReplyTimeout } from "@faceline/runtime/reply-timeout";
import { slowdown, type TimeSpent, wasStarved } from "@faceline/runtime/starvation";
import type { Batch, BatchId, BatchTask } from "@faceline/contracts/wire/batch";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { Decode } from "./decode/decoder.ts";
import { DecodeTimeout, type Picture } from "./decode/picture.ts";
import type { PixelBuffer, PixelBufferPool } from "./decode/pixel-buffers.ts";
import type { EnginePicture } from "./engine/work.ts";
import type { ImageInbox } from "./image-inbox.ts";

/** Makes a batch ready to run: fetches its images and decodes them into a buffer of their own. */
export type Preparation = (batch: Batch) => Promise<PreparedBatch>;

export function openPreparation(parts: PreparationParts): Preparation {
  const { images, buffers, decode, clock } = parts;

  const fetchAndDecode = async (batchId: BatchId, tasks: BatchTask[], buffer: PixelBuffer) => {
    if (tasks.length === 0) return [];
    const withinMs = Math.max(...tasks.map((task) => task.deadlineAt)) - clock.now();
    using fetched = await images.fetch(
      tasks.map((task) => task.id),
      { withinMs },
    );
    using decodes = new DecodeWatch(parts);
    return await afterAll(
      fetched.images.map(async (bytes, index) => {
        if (bytes === null) return imageLost;
        try {
          return await decode(bytes, buffer);
        } catch (error) {
          if (!(error instanceof DecodeTimeout)) throw error;
          const ids = { ...taskIds(tasks[index]!), batch_id: batchId };
          parts.log.warn({ ...ids, reason: error.message }, "a task failed; its batch goes on without it");
          return wasStarved(decodes.spent) ? tooLittleCpu(decodes.spent) : decodeTimeout;
        } finally {
          decodes.advance();
        }
      }),
    );
  };

  return async (batch) => {
    const buffer = await buffers.acquire();
    try {
      const startedAt = clock.now();
      const completed: PreparedBatch["completed"] = [];
      const inTime = batch.tasks.filter((task) => {
        const lateByMs = startedAt - task.deadlineAt;
        if (lateByMs >= 0) completed.push({ task, outcome: { kind: "expired", lateByMs } });
        return lateByMs < 0;
      });
      const decoded = await fetchAndDecode(batch.id, inTime, buffer);
      const pictures: EnginePicture[] = [];
      const tasks: BatchTask[] = [];
      for (const [index, result] of decoded.entries()) {
        const task = inTime[index]!;
        if (result.kind === "picture") {
          pictures.push(enginePicture(result, task));
          tasks.push(task);
        } else completed.push({ task, outcome: result });
      }
      return {
        pictures,
        tasks,
        completed,
        startedAt,
        endedAt: clock.now(),
        release: () => buffer[Symbol.dispose](),
      };
    } catch (error) {
      buffer[Symbol.dispose]();
      throw error;
    }
  };
}

/**
 * Calls `onHang` when no decode ends for `decodeStallMs` in which every thread of this process could run. A
 * limit on the whole batch would have to be as long as that of its largest picture times their number.
 */
class DecodeWatch implements Disposable {
  readonly #parts: Pick<PreparationParts, "decodeStallMs" | "onHang">;
  #timeout: ReplyTimeout;

  constructor(parts: Pick<PreparationParts, "decodeStallMs" | "onHang">) {
    this.#parts = parts;
    this.#timeout = this.#begin();
  }

  #begin(): ReplyTimeout {
    const { decodeStallMs, onHang } = this.#parts;
    const hang = () =>
      onHang(new Error(`no decode of a batch ended within ${decodeStallMs} ms; a decoder hangs`));
    return new ReplyTimeout(decodeStallMs, hang, coreWaits.allThreads);
  }

  /** The time since the last decode ended. */
  get spent(): TimeSpent {
    return this.#timeout.spent;
  }

  /** A decode has ended. */
  advance(): void {
    this.#timeout[Symbol.dispose]();
    this.#timeout = this.#begin();
  }

  [Symbol.dispose](): void {
    this.#timeout[Symbol.dispose]();
  }
}

/** Waits for all, also where one fails: the others still read their images and write into the buffer. */
async function afterAll<T>(decodes: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(decodes);
  return Promise.all(decodes);
}

const imageLost: Outcome = { kind: "failed", reason: "image_lost" };
const decodeTimeout: Outcome = { kind: "failed", reason: "decode_timeout" };

/** libvips counts time by the wall: where its thread had no core, neither the picture nor it is at fault. */
const tooLittleCpu = (spent: TimeSpent): Outcome => ({
  kind: "shed",
  reason: "deadline_infeasible",
  predictedMs: spent.elapsedMs,
  retryAfterMs: 1_000 * slowdown(spent),
});

function enginePicture(picture: Picture, { options }: BatchTask): EnginePicture {
  const { pixels, width, height, originalWidth, originalHeight } = picture;
  return { pixels, width, height, originalWidth, originalHeight, options };
}

type PreparationParts = {
  images: Pick<ImageInbox, "fetch">;
  buffers: PixelBufferPool;
  decode: Decode;
  clock: Clock;
  log: Pick<Log, "warn">;
  /** The longest time in which none of a batch's decodes ends. */
  decodeStallMs: number;
  /** Called when a decoder hangs: the preparation will not end. */
  onHang(error: Error): void;
};

export type PreparedBatch = {
  pictures: EnginePicture[];
  /** The tasks of the pictures, in the same order. */
  tasks: BatchTask[];
  /** Tasks that ended before the run: too late, without their image, or with one that was not decoded. */
  completed: { task: BatchTask; outcome: Outcome }[];
  /** When fetching began, and when the last image was decoded. */
  startedAt: number;
  endedAt: number;
  /** Zeroes the pixels and releases their buffer. */
  release(): void;
};
