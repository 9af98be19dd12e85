import * as z from "zod";
import { InputFault } from "../http/errors.ts";
import { Face } from "./face.ts";
import { DurationMs } from "./ids.ts";

/**
 * Why a task was refused in overload. `queue_too_long`: more waits before it than a healthy queue holds.
 * `deadline_infeasible`: its answer would come past its deadline. `early_drop`: it heads the queue with so
 * little time left that only a batch too small for the load could still meet its deadline (the early drop of
 * the Nexus scheduler).
 */
export const ShedReason = z.enum(["queue_too_long", "deadline_infeasible", "early_drop"]);
export type ShedReason = z.infer<typeof ShedReason>;

/** How a task ends. There is no sixth way: every service switches over all five. */
export const Outcome = z.discriminatedUnion("kind", [
  /** Largest face first; at least one, at most the `facesMax` that was asked for. */
  z.object({ kind: z.literal("faces"), faces: z.array(Face).min(1) }),
  /** The input is at fault. */
  z.object({ kind: z.literal("rejected"), code: InputFault }),
  z.object({
    kind: z.literal("shed"),
    reason: ShedReason,
    predictedMs: DurationMs,
    retryAfterMs: DurationMs,
  }),
  z.object({ kind: z.literal("expired"), lateByMs: DurationMs }),
  /** We are at fault; the reason is for operators and holds nothing of the input. */
  z.object({
    kind: z.literal("failed"),
    reason: z.enum(["image_lost", "run_failed", "attempts_exhausted"]),
  }),
]);
export type Outcome = z.infer<typeof Outcome>;
