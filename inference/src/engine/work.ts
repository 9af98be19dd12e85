import type { LaneId } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { TaskOptions } from "@faceline/contracts/wire/task";
import type { Pixels } from "../geometry/pixels.ts";
import type { NetworkUsage } from "../network/network.ts";

/** Types of the engine's input and output. They have no behaviour, and so no test. */

/** Images of one lane that run together. */
export type EngineWork = { lane: LaneId; images: readonly EngineImage[] };

/**
 * A decoded image and the options of its task. Its pixels are in shared memory, so threads do not copy
 * them.
 */
export type EngineImage = Pixels & {
  /** Faces are reported in pixels of the original image, upright. */
  originalWidth: number;
  originalHeight: number;
  options: TaskOptions;
  /** Decoded with less detail than the file has. */
  isDraft?: boolean;
};

/** One result for each image, in their order, and measurements of the run. */
export type RunResult = { results: TaskResult[]; usage: RunUsage };

/** `too_coarse`: the draft of an image was not enough, so it has to be decoded in full and to run again. */
export type TaskResult = Extract<Outcome, { kind: "faces" | "rejected" }> | { kind: "too_coarse" };

/**
 * Measurements of one run, for logs and metrics. They say nothing of an image's content. `cpuMs`: CPU time
 * of the engine's own thread; those that it gets from `INTRA_OP_THREADS` are not counted.
 */
export type RunUsage = PipelineUsage & { lane: LaneId; runMs: number; cpuMs: number };

export type PipelineUsage = {
  detectMs: number;
  alignMs: number;
  embedMs: number;
  /** Faces that were tried in other quarter turns. */
  quarterTurnsTried: number;
  /** Detections whose landmarks fitted no face. */
  implausible: number;
  faces: number;
  networks: NetworkUsage[];
};
