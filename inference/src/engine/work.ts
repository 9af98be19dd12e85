import type { LaneId } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { TaskOptions } from "@faceline/contracts/wire/task";
import type { NetworkFacts } from "./network.ts";

/** Pictures of one lane that run together. */
export type EngineWork = { lane: LaneId; pictures: readonly EnginePicture[] };

/** A decoded picture, and what is asked of it. Between threads the pixels lie in shared memory and are not copied. */
export type EnginePicture = {
  /** RGB, row by row, 8 bits. */
  pixels: Uint8Array;
  width: number;
  height: number;
  /** Faces are answered in pixels of the picture as it was sent, upright. */
  originalWidth: number;
  originalHeight: number;
  options: TaskOptions;
};

/** One for each picture, in their order. */
export type TaskResult = Extract<Outcome, { kind: "faces" | "rejected" }>;

/** How long each stage of a run took, and how full the networks were. For instruments; nothing of a picture. */
export type RunFacts = PipelineFacts & { lane: LaneId; runMs: number; networks: NetworkFacts[] };

export type PipelineFacts = {
  detectMs: number;
  alignMs: number;
  embedMs: number;
  /** Pictures that were looked at a second time, with a margin. */
  secondLooks: number;
  /** Faces that were tried in other orientations. */
  turned: number;
  /** Boxes whose landmarks fitted no face. */
  implausible: number;
  faces: number;
};
