import * as z from "zod";
import { DurationMs, Instant, LaneId, PoolName, ProcessId } from "./ids.ts";
import { NetworkPrecision } from "./report.ts";

export const LaneState = z.object({
  lane: LaneId,
  /** Tasks that wait for a batch. */
  waiting: z.int().nonnegative(),
  /** Workers in service that have the lane loaded. */
  workers: z.int().nonnegative(),
  /**
   * From now to the begin of a task that would arrive now, of a tenant that has nothing waiting: nobody waits
   * less, so whoever cannot make it with this wait cannot make it at all. Who has more waiting is refused by
   * the batcher.
   */
  expectedWaitMs: DurationMs,
  /** The time that a batch of one takes. */
  expectedRunMs: DurationMs,
  batchMax: z.int().min(1),
  executionProvider: z.string(),
  /** Of the worker that came first. */
  precisions: z.array(NetworkPrecision),
});
export type LaneState = z.infer<typeof LaneState>;

/**
 * batcher → ingress: the whole state of a pool, every 100 ms and within 5 ms of a jump. Older than 2 s, the
 * ingress takes the pool as absent.
 */
export const PoolState = z.object({
  pool: PoolName,
  batcher: ProcessId,
  sequence: z.int().nonnegative(),
  sentAt: Instant,
  lanes: z.array(LaneState),
});
export type PoolState = z.infer<typeof PoolState>;
