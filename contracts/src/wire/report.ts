import * as z from "zod";
import { BatchId } from "./batch.ts";
import { DurationMs, Instant, LaneId, ProcessId, TaskId } from "./ids.ts";

/** In which precision a model runs. */
export const NetworkPrecision = z.object({
  model: z.string(),
  precision: z.enum(["float32", "int8"]),
  /** In float, though there is an int8 build: on this CPU int8 does not say what it says elsewhere. */
  fallback: z.boolean(),
});
export type NetworkPrecision = z.infer<typeof NetworkPrecision>;

/** A lane that a worker has loaded and warmed. */
export const LoadedLane = z.object({
  lane: LaneId,
  executionProvider: z.string(),
  precisions: z.array(NetworkPrecision),
  /** The batch sizes that were warmed, ascending, with the time that a warm run of each took. */
  sizes: z.array(z.object({ size: z.int().min(1), runMs: DurationMs })).min(1),
});
export type LoadedLane = z.infer<typeof LoadedLane>;

const HeldBatch = z.object({ batch: BatchId, lane: LaneId, tasks: z.array(TaskId) });

export const FinishedBatch = z.object({
  batch: BatchId,
  lane: LaneId,
  /**
   * Tasks that went through the engine: fewer than were sent where images were lost or could not be decoded.
   */
  size: z.int().min(0),
  /** `failed`: the run failed and its tasks have no answer; they are the batcher's again. */
  end: z.enum(["answered", "failed"]),
  /** Fetch and decode. */
  prepareMs: DurationMs,
  runMs: DurationMs,
  endedAt: Instant,
});
export type FinishedBatch = z.infer<typeof FinishedBatch>;

/** How many finished batches a report repeats, so that the next report heals a lost one. */
export const finishedBatchesMax = 16;

/**
 * inference → batcher: a worker's whole state, sent on every change and every 250 ms. Never a delta: a lost
 * report is healed by the next. An older sequence number is ignored.
 */
export const Report = z.object({
  worker: ProcessId,
  sequence: z.int().nonnegative(),
  sentAt: Instant,
  /** The worker is stopping: it finishes what it has and takes nothing new. */
  draining: z.boolean(),
  /** Partitions of the batches topic that it holds; the batcher produces to the lowest. */
  partitions: z.array(z.int().nonnegative()),
  lanes: z.array(LoadedLane),
  running: HeldBatch.extend({ startedAt: Instant, endsAt: Instant }).nullable(),
  /** One at most, but for batches of a partition that has just moved here. */
  staged: z.array(HeldBatch),
  /** They have run; their answers are on the way to Redis. */
  answering: z.array(HeldBatch),
  finished: z.array(FinishedBatch).max(finishedBatchesMax),
});
export type Report = z.infer<typeof Report>;
