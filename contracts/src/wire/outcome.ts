import * as z from "zod";
import { InputFault } from "../http/errors.ts";
import { Face } from "./face.ts";
import { DurationMs } from "./ids.ts";

/**
 * Why a task was shed under overload. `queue_too_long`: the lane is full, or the wait is too long for a
 * healthy queue. `deadline_infeasible`: the predicted end is after the deadline. `early_drop`: it has the
 * earliest deadline of the batch, and only a batch too small for the load could meet it (early drop of
 * the Nexus scheduler).
 */
export const ShedReason = z.enum(["queue_too_long", "deadline_infeasible", "early_drop"]);
export type ShedReason = z.infer<typeof ShedReason>;

/** Why the service failed on a task. */
export const failureReasons = [
  "image_lost",
  "decode_timeout",
  "run_failed",
  "attempts_exhausted",
  "build_gone",
] as const;

/** How a task ends. The list is closed: every service handles all five kinds. */
export const Outcome = z.discriminatedUnion("kind", [
  /** Largest face first; at least one and at most `facesMax` of the task's options. */
  z.object({ kind: z.literal("faces"), faces: z.array(Face).min(1) }),
  /** The image is invalid. */
  z.object({ kind: z.literal("rejected"), code: InputFault }),
  z.object({
    kind: z.literal("shed"),
    reason: ShedReason,
    predictedMs: DurationMs,
    retryAfterMs: DurationMs,
  }),
  z.object({ kind: z.literal("expired"), lateByMs: DurationMs }),
  /**
   * An error of the service. The reason is for operators and contains nothing of the input. `build_gone`: the
   * call has answers of a build that no worker runs any more.
   */
  z.object({
    kind: z.literal("failed"),
    reason: z.enum(failureReasons),
  }),
]);
export type Outcome = z.infer<typeof Outcome>;
