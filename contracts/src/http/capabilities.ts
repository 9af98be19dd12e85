import * as z from "zod";
import { DistanceMetric } from "./detection-fields.ts";
import { ModelVersion, Precision } from "./model-version.ts";
import { EmbeddingFormat } from "./represent.ts";
import { FacePolicy } from "./verify.ts";

/** Whether a live worker has the model or detector loaded. */
const Status = z.enum(["ready", "unavailable"]);

/** A network as live workers have loaded it. */
const RunningBuild = z.object({
  /** SHA-256 of its file, as the worker has read it. */
  sha256: z.string(),
  precision: Precision,
  /** True: runs as float32 because int8 gives other results on the worker's CPU. */
  precision_fallback: z.boolean(),
  execution_provider: z.string(),
});
export type RunningBuild = z.infer<typeof RunningBuild>;

const graph = {
  /** SPDX expression. */
  license: z.string(),
  /** SHA-256 of the graph that runs, or that would run if a worker loaded it. */
  sha256: z.string(),
  /** `float32` or `int8`; null while no worker has the model loaded. */
  precision: z.string().nullable(),
  /** True: runs as float32 because int8 gives other results on the worker's CPU. */
  precision_fallback: z.boolean(),
  status: Status,
  /** Several during a rollout, or where only some CPUs run int8. Empty while no worker has it loaded. */
  builds: z.array(RunningBuild),
};

const ModelDetails = z.object({
  embedding_size: z.int().positive(),
  /** Names the weights that run, or that would run. Vectors of equal versions may be compared. */
  model_version: ModelVersion,
  thresholds: z.record(DistanceMetric, z.number()),
  /** The data set that each threshold was derived from. */
  thresholds_from: z.record(DistanceMetric, z.string()),
  normalizations: z.array(z.string()),
  ...graph,
  /** Null while no worker has the model loaded. */
  batch_max: z.int().positive().nullable(),
  execution_provider: z.string().nullable(),
});

const DetectorDetails = z.object({
  ...graph,
  /**
   * Beside a clear face, /verify and /compare may miss faces that are narrower than this share of the longer
   * side, unless `all_faces` is true. Null: they find all that /represent finds.
   */
  missed_width_share: z.number().nullable(),
});

/** GET /capabilities: what the operator enabled, and which of it live workers serve. */
export const CapabilitiesReply = z.object({
  models: z.array(z.string()),
  default_model: z.string(),
  detectors: z.array(z.string()),
  default_detector: z.string(),
  distance_metrics: z.array(DistanceMetric),
  normalizations: z.array(z.string()),
  image_formats: z.array(z.string()),
  model_details: z.record(z.string(), ModelDetails),
  detector_details: z.record(z.string(), DetectorDetails),
  limits: z.object({
    body_bytes: z.int(),
    image_bytes: z.int(),
    image_pixels: z.int(),
    /** Memory that decoding an image may take; more is `image_too_large`. */
    image_decoding_bytes: z.int(),
    image_side_min_px: z.int(),
    candidate_vectors: z.int(),
    candidate_images: z.int(),
    vector_length: z.int(),
    faces: z.int(),
    deadline_default_ms: z.int(),
    deadline_min_ms: z.int(),
    deadline_max_ms: z.int(),
    /** Defaults, for teams without limits of their own. 0: not limited. */
    team_requests_per_second: z.int(),
    team_requests_burst: z.int(),
    team_in_flight: z.int(),
  }),
  features: z.object({
    face_policies: z.array(FacePolicy),
    embedding_formats: z.array(EmbeddingFormat),
    vectors: z.boolean(),
    anti_spoofing: z.boolean(),
    /** Whether the home page runs calls without a key. */
    tester: z.boolean(),
    /** The thresholds were not measured with `align: false`. */
    thresholds_unaligned: z.literal("unmeasured"),
  }),
  version: z.string(),
});
export type CapabilitiesReply = z.infer<typeof CapabilitiesReply>;
