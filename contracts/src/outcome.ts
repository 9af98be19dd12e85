import * as z from "zod";
import { InputFault } from "./errors.ts";
import { Face } from "./face.ts";
import { Length } from "./ids.ts";

/** Why a task was refused in overload. `standing` is a queue that is too long, the others a deadline that is too near. */
export const ShedReason = z.enum(["standing", "hopeless", "early"]);
export type ShedReason = z.infer<typeof ShedReason>;

/** How a task ends. There is no sixth way: every service switches over all five. */
export const Outcome = z.discriminatedUnion("kind", [
  /** Largest face first; at least one, at most the `facesMax` that was asked for. */
  z.object({ kind: z.literal("faces"), faces: z.array(Face).min(1) }),
  /** The input is at fault. */
  z.object({ kind: z.literal("rejected"), code: InputFault }),
  z.object({ kind: z.literal("shed"), reason: ShedReason, predictedMs: Length, retryAfterMs: Length }),
  z.object({ kind: z.literal("expired"), lateByMs: Length }),
  /** We are at fault; the reason is for operators and holds nothing of the input. */
  z.object({
    kind: z.literal("failed"),
    reason: z.enum(["image_lost", "run_failed", "attempts_exhausted"]),
  }),
]);
export type Outcome = z.infer<typeof Outcome>;
