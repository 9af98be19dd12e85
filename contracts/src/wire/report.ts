import * as z from "zod";
import { Precision } from "../http/model-version.ts";
import { BatchId } from "./batch.ts";
import { DurationMs, Instant, LaneId, ProcessId, TaskId } from "./ids.ts";
import { LaneBuild } from "./lane-build.ts";

/** The precision in which a worker runs a model or detector. */
export const NetworkPrecision = z.object({
  model: z.string(),
  precision: Precision,
  /** True: float32 although an int8 build exists, because int8 gives other results on this CPU. */
  fallback: z.boolean(),
  /** How they differ, as a clause, if it is a fallback. */
  deviation: z.string().optional(),
  /** SHA-256 of the loaded file for the model's own input side. */
  sha256: z.string(),
});
export type NetworkPrecision = z.infer<typeof NetworkPrecision>;

/** A lane that a worker has loaded and warmed up. */
export const LoadedLane = z.object({
  lane: LaneId,
  build: LaneBuild,
  executionProvider: z.string(),
  precisions: z.array(NetworkPrecision),
  /** The batch sizes that were warmed up, ascending, with the run time of each when warm. */
  sizes: z.array(z.object({ size: z.int().min(1), runMs: DurationMs })).min(1),
});
export type LoadedLane = z.infer<typeof LoadedLane>;

/** Data of a batch for a batcher that takes over. */
const HeldBatch = z.object({
  batch: BatchId,
  lane: LaneId,
  tasks: z.array(TaskId),
  /** 1 for the first attempt. */
  attempt: z.int().min(1),
  receivedAt: Instant,
});

export const FinishedBatch = z.object({
  batch: BatchId,
  lane: LaneId,
  /**
   * Number of tasks that ran: fewer than the batch had if images were lost or could not be decoded.
   */
  size: z.int().min(0),
  /**
   * `failed`: the run failed and its tasks have no answer; the batcher retries or fails them. `refused`: the
   * batch is for another build than this worker has, and was not run.
   */
  end: z.enum(["answered", "failed", "refused"]),
  /** Time to fetch and decode the images. */
  prepareMs: DurationMs,
  runMs: DurationMs,
  endedAt: Instant,
  /** The tasks with several faces. */
  crowds: z.array(z.object({ task: TaskId, faces: z.int().min(2) })),
});
export type FinishedBatch = z.infer<typeof FinishedBatch>;

/** Most finished batches in a report. Reports repeat them, so that a lost report does no harm. */
export const finishedBatchesMax = 16;

/**
 * inference → batcher: the whole state of a worker, sent when a run begins, a batch has ended, and every 250
 * ms. It is never a delta, so the next report replaces a lost one. One with an older sequence is ignored.
 */
export const Report = z.object({
  worker: ProcessId,
  sequence: z.int().nonnegative(),
  sentAt: Instant,
  /** The worker is stopping: it finishes its batches and accepts no new ones. */
  draining: z.boolean(),
  /** Assigned partitions of the batches topic. The batcher sends to the lowest. */
  partitions: z.array(z.int().nonnegative()),
  lanes: z.array(LoadedLane),
  /**
   * `endsAt`: as predicted, or when its last step ended if that is later; time without a core since then is
   * added. So an image with many faces postpones it, and a hanging run does not.
   */
  running: HeldBatch.extend({ startedAt: Instant, endsAt: Instant }).nullable(),
  /** Batches that wait for the run: a light and a heavy one at most, unless a partition was just assigned. */
  staged: z.array(HeldBatch),
  /** Batches that have run and whose answers are being written to Redis. */
  answering: z.array(HeldBatch),
  /**
   * Bytes of images that have come from Redis since the worker's start. While they grow, the preparation of a
   * batch makes progress.
   */
  imageBytes: z.int().nonnegative(),
  finished: z.array(FinishedBatch).max(finishedBatchesMax),
});
export type Report = z.infer<typeof Report>;
