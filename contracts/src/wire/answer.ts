import * as z from "zod";
import { TaskId } from "./ids.ts";
import { LaneBuild } from "./lane-build.ts";
import { Outcome } from "./outcome.ts";
import { TaskTiming } from "./timing.ts";

/** inference or batcher → ingress: how one task ended. The first answer to a task is kept. */
export const Answer = z.object({
  task: TaskId,
  outcome: Outcome,
  timing: TaskTiming,
  /** Build that made it; null if no worker did. */
  build: LaneBuild.nullable(),
});
export type Answer = z.infer<typeof Answer>;

/** What is left of an answer in Redis once its ingress has it; an answer can be read as one too. */
export const AnswerMarker = Answer.pick({ build: true });
