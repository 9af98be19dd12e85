import * as z from "zod";
import { DurationMs, TaskId } from "./ids.ts";
import { LaneBuild } from "./lane-build.ts";
import { Outcome } from "./outcome.ts";

/** Duration of each part of a task, for `Server-Timing`. Zero for parts that the task did not reach. */
export const TaskTiming = z.object({
  /** From its arrival at the ingress to the dispatch of its batch. */
  queueMs: DurationMs,
  /** From the dispatch to the start of the run: transport, fetch, decoding, and the previous run. */
  batchMs: DurationMs,
  /** Duration of the run of its batch. */
  inferMs: DurationMs,
});
export type TaskTiming = z.infer<typeof TaskTiming>;

/** inference or batcher → ingress: how one task ended. The first answer to a task is kept. */
export const Answer = z.object({
  task: TaskId,
  outcome: Outcome,
  timing: TaskTiming,
  /** What made it; null where no worker did. */
  build: LaneBuild.nullable(),
});
export type Answer = z.infer<typeof Answer>;

/** One message of an answers channel: the answers of one batch for one ingress. */
export const Answers = z.array(Answer).min(1);
