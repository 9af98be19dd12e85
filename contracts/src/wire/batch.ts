import * as z from "zod";
import { DurationMs, Instant, LaneId, TaskId } from "./ids.ts";
import { type CallTasks, taskFields } from "./task.ts";

/** The batcher that made it, and a count: `batcher-1f…/17`. */
export const BatchId = z
  .string()
  .regex(/^[a-z]{1,16}-[0-9a-f]{16}\/[0-9]{1,15}$/)
  .brand<"BatchId">();
export type BatchId = z.infer<typeof BatchId>;

/** No lane takes more than this many tasks in a batch. */
const batchTasksMax = 64;

/**
 * Why a batch left when it did, and no larger: it was `full`, it met the `floor` that the load asks for, its
 * head had no `slack` for more, its hold ran out, it is part of a batch that came back, or the batcher is
 * stopping.
 */
export const DispatchReason = z.enum(["full", "floor", "slack", "hold_expired", "retry", "drain"]);
export type DispatchReason = z.infer<typeof DispatchReason>;

export const BatchTask = z.object({ id: TaskId, ...taskFields });
export type BatchTask = z.infer<typeof BatchTask>;

/**
 * The tasks of a call as a batch holds them, in the order of the call: each has a copy of every field of
 * `taskFields`.
 */
export function batchTasks(call: CallTasks): BatchTask[] {
  const shared = Object.fromEntries(sharedFields.map((name) => [name, call[name]])) as SharedFields;
  return call.tasks.map((id) => ({ id, ...shared }));
}

const sharedFields = Object.keys(taskFields) as (keyof typeof taskFields)[];
type SharedFields = Pick<CallTasks, keyof typeof taskFields>;

/** batcher → inference: tasks of one lane that run together. */
export const Batch = z.object({
  id: BatchId,
  lane: LaneId,
  reason: DispatchReason,
  /** 1 for tasks that are sent for the first time. */
  attempt: z.int().min(1),
  sentAt: Instant,
  /** What the batcher's time model expects of the run: the worker derives the predicted end from it. */
  predictedRunMs: DurationMs,
  tasks: z.array(BatchTask).min(1).max(batchTasksMax),
});
export type Batch = z.infer<typeof Batch>;
