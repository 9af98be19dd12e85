import * as z from "zod";
import { Dependency } from "../http/dependency.ts";
import { DurationMs, Instant, LaneId, PoolName, ProcessId } from "./ids.ts";
import { LaneBuild } from "./lane-build.ts";
import { NetworkPrecision } from "./report.ts";

/** One build of one lane: a lane has a state for each build that workers run. */
export const LaneState = z.object({
  lane: LaneId,
  /** Null while no worker has reported the lane. */
  build: LaneBuild.nullable(),
  /** Tasks in the queue. */
  waiting: z.int().nonnegative(),
  /** Live workers that have the lane loaded. */
  workers: z.int().nonnegative(),
  /**
   * Predicted wait of a task that arrives now and whose tenant has no queued tasks. No task waits less, so
   * the ingress refuses a request whose deadline is shorter. The batcher refuses for tenants that wait
   * longer.
   */
  expectedWaitMs: DurationMs,
  /** Predicted run time of a batch of one task. */
  expectedRunMs: DurationMs,
  /**
   * Delay of all later tasks by one more task: the time that it occupies a worker in a batch of the useful
   * size, shared among the workers.
   */
  taskMs: DurationMs,
  batchMax: z.int().min(1),
  executionProvider: z.string(),
  precisions: z.array(NetworkPrecision),
});
export type LaneState = z.infer<typeof LaneState>;

/**
 * batcher → ingress: the whole state of a pool. Sent every 100 ms if
 * something changed, otherwise every 500 ms, and within 5 ms of a jump of the expected wait. The ingress
 * treats a pool whose state is older than 2 s as absent, or `takeoverMs` if a standby is there.
 */
export const PoolState = z.object({
  pool: PoolName,
  batcher: ProcessId,
  sequence: z.int().nonnegative(),
  sentAt: Instant,
  lanes: z.array(LaneState),
  /** What keeps tasks from the workers; absent if nothing does. */
  blockedBy: Dependency.extract(["kafka", "redis-volatile"]).optional(),
  /** How long after this batcher's end a standby decides, at the latest. Absent without a standby. */
  takeoverMs: DurationMs.optional(),
});
export type PoolState = z.infer<typeof PoolState>;
