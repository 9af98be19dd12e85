import type { TaskEnd } from "@faceline/runtime/answers";
import type { Clock } from "@faceline/runtime/clock";
import type { Log } from "@faceline/runtime/log";
import { taskIds } from "@faceline/runtime/log-ids";
import { coreWaits, HangTimeout } from "@faceline/runtime/starvation";
import type { Batch, BatchId, BatchTask } from "@faceline/contracts/wire/batch";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { Decode, ImageDetail } from "./decode/decoder.ts";
import { DecodeTimeout, type Image } from "./decode/image.ts";
import type { PixelBuffer, PixelBufferPool } from "./decode/pixel-buffers.ts";
import { allowsLowResolution } from "./detect/detector.ts";
import type { EngineImage } from "./engine/work.ts";
import type { ImageInbox } from "./image-inbox.ts";

/** Makes a batch ready to run: fetches its images and decodes them into a buffer of their own. */
export type Preparation = (batch: Batch) => Promise<PreparedBatch>;

export function openPreparation(parts: PreparationParts): Preparation {
  const { images, buffers, decode, clock, decodeStallMs } = parts;

  const fetch = (tasks: BatchTask[]) => {
    if (tasks.length === 0) return noImages;
    const withinMs = Math.max(...tasks.map((task) => task.deadlineAt)) - clock.now();
    return images.fetch(
      tasks.map((task) => task.id),
      { withinMs },
    );
  };

  // The limit is on the time between the ends of decodes: one on the whole batch would have to be as long as
  // that of its largest image times their number.
  const watchDecodes = () =>
    new HangTimeout(
      decodeStallMs,
      () => parts.onHang(new Error(`no decode of a batch ended within ${decodeStallMs} ms; a decoder hangs`)),
      coreWaits.allThreads,
    );

  const decodeOf = (batchId: BatchId, buffer: PixelBuffer) => async (stored: readonly StoredImage[]) => {
    let watch = watchDecodes();
    const decodeOne = async ({ task, bytes, detail }: StoredImage): Promise<EngineImage | Outcome> => {
      try {
        const decoded = await decode(bytes, buffer, detail);
        return decoded.kind === "image" ? engineImage(decoded, task) : decoded;
      } catch (error) {
        if (!(error instanceof DecodeTimeout)) throw error;
        const ids = { ...taskIds(task), batch_id: batchId };
        parts.log.warn({ ...ids, reason: error.message }, "a task failed; its batch continues without it");
        return watch.isStarved ? tooLittleCpu(watch.elapsedMs) : decodeTimeout;
      } finally {
        watch[Symbol.dispose]();
        watch = watchDecodes();
      }
    };
    try {
      return await afterAll(stored.map(decodeOne));
    } finally {
      watch[Symbol.dispose]();
    }
  };

  /** Tasks whose image is missing. It was removed because the task has ended: nobody waits for it. */
  const withoutImage = async (tasks: BatchTask[], batchId: BatchId): Promise<PreparedBatch["completed"]> => {
    const ends = tasks.length === 0 ? [] : await parts.taskEnds(tasks.map(({ id }) => id));
    return tasks.flatMap((task, index) => {
      const end = ends[index];
      if (end === undefined) return [{ task, outcome: imageLost }];
      const fields = { reason: end, ...taskIds(task), batch_id: batchId };
      parts.log.info(fields, "a task had ended before its run");
      return [];
    });
  };

  return async (batch) => {
    using opened = new DisposableStack();
    const buffer = opened.use(await buffers.acquire());
    const decodeAll = decodeOf(batch.id, buffer);
    const startedAt = clock.now();
    const completed: PreparedBatch["completed"] = [];
    const inTime = batch.tasks.filter((task) => {
      const lateByMs = startedAt - task.deadlineAt;
      if (lateByMs >= 0) completed.push({ task, outcome: { kind: "expired", lateByMs } });
      return lateByMs < 0;
    });
    const fetched = opened.use(await fetch(inTime));
    const stored = inTime.flatMap((task, index): StoredImage[] => {
      const bytes = fetched.images[index]!;
      return bytes === null ? [] : [{ task, bytes, detail: allowsLowResolution(task) ? "draft" : "full" }];
    });
    const missing = inTime.filter((_, index) => fetched.images[index] === null);
    completed.push(...(await withoutImage(missing, batch.id)));
    const images: EngineImage[] = [];
    const ready: StoredImage[] = [];
    for (const [index, result] of (await decodeAll(stored)).entries()) {
      const image = stored[index]!;
      if ("pixels" in result) {
        images.push(result);
        ready.push({ ...image, detail: "full" });
      } else completed.push({ task: image.task, outcome: result });
    }
    // Images are needed again only where a draft may turn out to be too coarse.
    if (!images.some(({ isDraft }) => isDraft)) fetched[Symbol.dispose]();
    const held = opened.move();
    return {
      images,
      tasks: ready.map(({ task }) => task),
      completed,
      startedAt,
      endedAt: clock.now(),
      decodeInFull(indices) {
        buffer.clear();
        return decodeAll(indices.map((index) => ready[index]!));
      },
      release: () => held.dispose(),
    };
  };
}

/** Waits for all, even if one fails: the others still read their images and write into the buffer. */
async function afterAll<T>(decodes: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(decodes);
  return Promise.all(decodes);
}

const imageLost: Outcome = { kind: "failed", reason: "image_lost" };
const decodeTimeout: Outcome = { kind: "failed", reason: "decode_timeout" };

/** libvips counts wall-clock time: if its thread had no core, neither the image nor libvips is at fault. */
const tooLittleCpu = (predictedMs: number): Outcome => ({
  kind: "shed",
  reason: "deadline_infeasible",
  predictedMs,
  retryAfterMs: 4_000,
});

const engineImage = (image: Image, { options }: BatchTask): EngineImage => ({ ...image, options });

const noImages = { images: [], [Symbol.dispose]() {} };

type StoredImage = { task: BatchTask; bytes: Buffer; detail: ImageDetail };

type PreparationParts = {
  images: Pick<ImageInbox, "fetch">;
  buffers: PixelBufferPool;
  decode: Decode;
  clock: Clock;
  /** How tasks have already ended; undefined for those that have not. */
  taskEnds(tasks: TaskId[]): Promise<TaskEnd[]>;
  log: Pick<Log, "info" | "warn">;
  /** The longest time in which none of a batch's decodes ends. */
  decodeStallMs: number;
  /** Called when a decoder hangs: the preparation will not end. */
  onHang(error: Error): void;
};

export type PreparedBatch = {
  images: EngineImage[];
  /** The tasks of the images, in the same order. */
  tasks: BatchTask[];
  /** Tasks that ended before the run: too late, without their image, or with an undecodable one. */
  completed: { task: BatchTask; outcome: Outcome }[];
  /** When fetching began, and when the last image was decoded. */
  startedAt: number;
  endedAt: number;
  /**
   * Decodes the images of drafts again, in full. All pixels of the drafts are gone then, because these take
   * their memory. A full decode may end a task.
   */
  decodeInFull(indices: readonly number[]): Promise<(EngineImage | Outcome)[]>;
  /** Zeroes the images and pixels, and releases their buffer. */
  release(): void;
};
