import * as z from "zod";
import { DurationMs, Instant, LaneId, TaskId, Traceparent, taskIndexOf } from "./ids.ts";
import { LaneDigest } from "./lane-build.ts";
import { type CallTasks, TaskCost, taskFields } from "./task.ts";
import { TaskWait } from "./timing.ts";

/** Id of the batcher that created the batch, and a counter: `batcher-1f…/17`. */
export const BatchId = z
  .string()
  .regex(/^[a-z]{1,16}-[0-9a-f]{16}\/[0-9]{1,15}$/)
  .brand<"BatchId">();
export type BatchId = z.infer<typeof BatchId>;

/**
 * Most tasks in a batch of any lane. A GPU is reckoned to need about 240 for 95% of its best throughput. The
 * largest batch still fits into one message of Kafka (runtime/src/kafka-flush.test.ts).
 */
export const batchTasksMax = 256;

/**
 * Why a batch was dispatched with this size. `full`: it has the maximum size. `floor`: it has the minimum
 * size for the current load. `slack`: the earliest deadline would be missed in a larger batch.
 * `hold_expired`: the longest wait for more tasks is over. `retry`: it is part of a batch that failed or
 * whose worker was lost. `drain`: the batcher is stopping.
 */
export const DispatchReason = z.enum(["full", "floor", "slack", "hold_expired", "retry", "drain"]);
export type DispatchReason = z.infer<typeof DispatchReason>;

export const BatchTask = z.object({
  id: TaskId,
  cost: TaskCost.default(1),
  ...taskFields,
  /** Set when the task is sent to a worker. */
  waited: TaskWait.optional(),
});
export type BatchTask = z.infer<typeof BatchTask>;

/**
 * Returns the tasks of a call as tasks of a batch, in the order of the call. Each has every field of
 * `taskFields`.
 */
export function batchTasks(call: CallTasks): BatchTask[] {
  return call.tasks.map((id) => {
    const task: Record<string, unknown> = { id, cost: call.costs[taskIndexOf(id)] ?? 1 };
    // Spreading an object that has the shared fields takes several times as long, and every call pays for it.
    for (const name of sharedFields) task[name] = call[name];
    return task as BatchTask;
  });
}

const sharedFields = Object.keys(taskFields) as (keyof typeof taskFields)[];

/** batcher → inference: tasks of one lane that run as one batch. */
export const Batch = z.object({
  id: BatchId,
  lane: LaneId,
  /** Only a worker that runs this build may run the batch. Its partition may move to another one. */
  digest: LaneDigest,
  reason: DispatchReason,
  /** 1 for the first attempt. */
  attempt: z.int().min(1),
  sentAt: Instant,
  /** Run time that the batcher's model predicts. The worker derives the predicted end from it. */
  predictedRunMs: DurationMs,
  /** The span of the batch, if it is traced. */
  traceparent: Traceparent.optional(),
  tasks: z.array(BatchTask).min(1).max(batchTasksMax),
});
export type Batch = z.infer<typeof Batch>;
