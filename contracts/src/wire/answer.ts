import * as z from "zod";
import { DurationMs, TaskId } from "./ids.ts";
import { Outcome } from "./outcome.ts";

/** How long each part of the way took, for `Server-Timing`. Zero where a task never came so far. */
export const TaskTiming = z.object({
  /** From the ingress to its batch. */
  queueMs: DurationMs,
  /** From the batcher to the begin of the run: transport, fetch, decode, and the run before it. */
  batchMs: DurationMs,
  /** The run of its batch. */
  inferMs: DurationMs,
});
export type TaskTiming = z.infer<typeof TaskTiming>;

/** inference or batcher → ingress: how one task ended. The first answer stands. */
export const Answer = z.object({ task: TaskId, outcome: Outcome, timing: TaskTiming });
export type Answer = z.infer<typeof Answer>;

/** One message of a channel: the answers that one batch gives to one ingress. */
export const Answers = z.array(Answer).min(1);
