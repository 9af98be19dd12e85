import * as z from "zod";
import { ModelVersion, Precision } from "../http/model-version.ts";

/**
 * Names everything of a loaded lane that changes its numbers: files, entries and precisions of its networks,
 * the alignment and the engine.
 */
export const LaneDigest = z.string().regex(/^[0-9a-f]{16}$/);
export type LaneDigest = z.infer<typeof LaneDigest>;

/**
 * Build that a worker runs for a lane. Within a call, embeddings of different digests are never compared:
 * workers of two versions may share a pool during a rollout, and CPUs with and without int8 always.
 */
export const LaneBuild = z.object({
  digest: LaneDigest,
  modelVersion: ModelVersion,
  /** Precision of the embedding model. */
  precision: Precision,
});
export type LaneBuild = z.infer<typeof LaneBuild>;
