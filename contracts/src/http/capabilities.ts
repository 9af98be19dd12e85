import * as z from "zod";
import { DistanceMetric } from "./detection-fields.ts";
import { ModelVersion, Precision } from "./model-version.ts";
import { ModelCard } from "./model-card.ts";
import { EmbeddingFormat } from "./represent.ts";
import { FacePolicy } from "./verify.ts";

const fallbackDescription = "True: runs in float32 because int8 gives other results on the worker's CPU.";

/** A network as live workers have loaded it. */
const RunningBuild = z.object({
  sha256: z.string().describe("SHA-256 of the network's file, as the worker has read it, in hexadecimal."),
  precision: Precision.describe("Number format of the computation."),
  precision_fallback: z.boolean().describe(fallbackDescription),
  execution_provider: z.string().describe("Device that runs the network: `cpu`, `cuda` or `webgpu`."),
});
export type RunningBuild = z.infer<typeof RunningBuild>;

const graph = {
  license: z.string().describe("Licence of the weights, as an SPDX expression."),
  sha256: z
    .string()
    .describe(
      "SHA-256 of the network's file that runs, or that would run if a worker loaded it, in hexadecimal.",
    ),
  precision: z
    .string()
    .nullable()
    .describe("`float32` or `int8`; that of the first of `builds`. Null while no live worker has it loaded."),
  precision_fallback: z.boolean().describe(fallbackDescription),
  status: z
    .enum(["ready", "unavailable"])
    .describe(
      "`ready`: at least one live worker has it loaded, or loads it for the first call. `unavailable`: none.",
    ),
  builds: z
    .array(RunningBuild)
    .describe(
      "What live workers run: several during a rollout, or where only some CPUs run int8; for a pair of " +
        "models those of both. Empty while no live worker has it loaded.",
    ),
};

const ThresholdsCalibration = z.object({
  calibrated_at: z.string().describe("When, in UTC."),
  fmr_wanted: z
    .number()
    .describe(
      "The share (0 to 1) of pairs of different people that match at the thresholds is at most this, with a " +
        "confidence of 95 %, on pictures like those of the operator.",
    ),
  pairs_same: z.int().describe("Pairs of pictures of one person that were compared."),
  pairs_different: z.int().describe("Pairs of pictures of two people that were compared."),
  people: z.int().describe("How many people the pictures show."),
  detector: z.string().describe("The detector that found the faces."),
});

const card = ModelCard.nullable();

const FalseMatchRateFrom = z.object({
  source: z
    .enum(["operator", "card"])
    .describe("`operator`: their calibration. `card`: pictures that the model comes with figures of."),
  pairs: z
    .int()
    .positive()
    .describe("Pairs of different people. They share people and so tell less than their number suggests."),
});

const ModelDetails = z.object({
  embedding_size: z.int().positive().describe("Count of numbers in an embedding of this model."),
  model_version: ModelVersion.describe(
    "Names the weights that run, or that would run. Embeddings of equal versions may be compared.",
  ),
  thresholds: z
    .record(DistanceMetric, z.number())
    .describe("Default threshold for each distance metric: the largest distance that counts as a match."),
  thresholds_max: z
    .record(DistanceMetric, z.number())
    .describe(
      "Largest `threshold` that a call may have, for each distance metric: no two embeddings are further apart.",
    ),
  thresholds_from: z
    .record(DistanceMetric, z.string())
    .describe("For each distance metric, the data that its default threshold was derived from, in words."),
  thresholds_calibration: ThresholdsCalibration.nullable().describe(
    "The calibration that the operator measured the default thresholds with. Null: they are those that the " +
      "model comes with.",
  ),
  false_match_rate_from: FalseMatchRateFrom.nullable().describe(
    "The pairs that `false_match_rate` in replies rests on. Null: there are none, and it is null.",
  ),
  normalizations: z.array(z.string()).describe("Values of `normalization` that this model accepts."),
  ...graph,
  batch_max: z
    .int()
    .positive()
    .nullable()
    .describe("Most images in a batch. Null while no live worker has the model loaded."),
  execution_provider: z
    .string()
    .nullable()
    .describe(
      "Device that runs the model: `cpu`, `cuda` or `webgpu`. Null while no live worker has the model loaded.",
    ),
  card: card.describe(
    "Error rates of the model in several conditions, measured by the authors of Faceline. Null: not measured.",
  ),
});

const DetectorDetails = z.object({
  ...graph,
  card: card.describe(
    "Images without a face, and error rates of the default model behind this detector. Null: not measured.",
  ),
  missed_width_share: z
    .number()
    .nullable()
    .describe(
      "Beside a clear face, /verify and /compare may miss faces that are narrower than this share (0 to 1) " +
        "of the image's longer side, unless `all_faces` is true. Null: they find all that /represent finds.",
    ),
  found_width_share: z
    .number()
    .nullable()
    .describe(
      "Faces that are narrower than this share (0 to 1) of the image's longer side are often not found. " +
        "Null: not measured.",
    ),
});

const forTeams = "For teams without limits of their own. 0: not limited.";

const Limits = z.object({
  body_bytes: z.int().describe("Most bytes of a request body."),
  image_bytes: z.int().describe("Most bytes of an image, after Base64 is decoded."),
  image_pixels: z.int().describe("Most pixels of an image: width × height."),
  image_decoding_bytes: z
    .int()
    .describe("Most bytes of memory that decoding an image may take; above it, `image_too_large`."),
  image_side_min_px: z.int().describe("Least length of an image's shorter side, in pixels."),
  candidate_vectors: z.int().describe("Most embeddings among the candidates of a /compare."),
  candidate_images: z.int().describe("Most images among the candidates of a /compare."),
  vector_length: z.int().describe("Count of numbers in the longest embedding of the enabled models."),
  faces: z.int().describe("Most faces of an image that count, the largest first."),
  deadline_default_ms: z
    .int()
    .describe("Time limit of a call without `x-request-timeout-ms`, in milliseconds."),
  deadline_min_ms: z.int().describe("Shortest time limit that a call may set, in milliseconds."),
  deadline_max_ms: z.int().describe("Longest time limit that a call may set, in milliseconds."),
  team_requests_per_second: z.int().describe(`Calls of a team per second, on average. ${forTeams}`),
  team_requests_burst: z.int().describe(`Calls that a team may make at once after a pause. ${forTeams}`),
  team_in_flight: z.int().describe(`Calls of a team that may run at the same time. ${forTeams}`),
});

const Features = z.object({
  face_policies: z.array(FacePolicy).describe("Values of `face_policy` in /verify."),
  embedding_formats: z.array(EmbeddingFormat).describe("Values of `embedding_format` in /represent."),
  vectors: z.boolean().describe("Whether /verify and /compare accept an embedding in place of an image."),
  anti_spoofing: z.boolean().describe("Whether `anti_spoofing` may be true."),
  tester: z.boolean().describe("Whether the home page runs calls without a key."),
  thresholds_unaligned: z
    .literal("unmeasured")
    .describe("The default thresholds were not measured with `align: false`."),
});

/** GET /capabilities: what is enabled now, and which of it live workers serve. */
export const CapabilitiesResponse = z.object({
  models: z
    .array(z.string())
    .describe("Names that `model_name` may have. Operators may change them at any time."),
  default_model: z.string().describe("The model of calls without `model_name`."),
  detectors: z
    .array(z.string())
    .describe("Names that `detector_backend` may have. Operators may change them at any time."),
  default_detector: z.string().describe("The detector of calls without `detector_backend`."),
  distance_metrics: z.array(DistanceMetric).describe("Values of `distance_metric`."),
  normalizations: z
    .array(z.string())
    .describe(
      "Values of `normalization` that at least one model accepts; `model_details` has those of each.",
    ),
  image_formats: z.array(z.string()).describe("File formats of images that are accepted."),
  model_details: z.record(z.string(), ModelDetails).describe("Each of `models`, by its name."),
  detector_details: z.record(z.string(), DetectorDetails).describe("Each of `detectors`, by its name."),
  limits: Limits.describe(
    "What a call may contain, how long it may take, and how many calls a team may make.",
  ),
  features: Features.describe("Optional parts of the API, and which of them this service offers."),
  version: z.string().describe("Version of the service."),
});
export type CapabilitiesResponse = z.infer<typeof CapabilitiesResponse>;
