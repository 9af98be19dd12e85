import * as z from "zod";
import { DistanceMetric } from "./detection-fields.ts";
import { ModelVersion, Precision } from "./model-version.ts";
import { ModelCard } from "./model-card.ts";
import { EmbeddingFormat } from "./represent.ts";
import { FacePolicy } from "./verify.ts";

const fallbackDescription =
  "True if the worker runs float32 because int8 gives different results on its CPU.";

/** A network as live workers have loaded it. */
export const RunningBuild = z.object({
  name: z.string().describe("The model, the detector or one of its parts, or the landmark model."),
  sha256: z.string().describe("SHA-256 of the network file that the worker loaded, in hexadecimal."),
  precision: Precision.describe("Number format of the computation."),
  precision_fallback: z.boolean().describe(fallbackDescription),
  execution_provider: z.string().describe("Device that runs the network: `cpu`, `cuda` or `webgpu`."),
});
export type RunningBuild = z.infer<typeof RunningBuild>;

const graph = {
  license: z.string().describe("License of the weights, as an SPDX expression."),
  sha256: z
    .string()
    .describe("SHA-256 of the network file that runs, or that a worker would load, in hexadecimal."),
  precision: z
    .string()
    .nullable()
    .describe(
      "`float32` or `int8`, as in the first entry of `builds`. Null while no live worker has it loaded.",
    ),
  precision_fallback: z.boolean().describe(fallbackDescription),
  status: z
    .enum(["ready", "unavailable"])
    .describe(
      "`ready`: a live worker has it loaded, or loads it on the first request. `unavailable`: no worker does.",
    ),
  builds: z
    .array(RunningBuild)
    .describe(
      "The networks that live workers run for it; for a model, also the landmark model that aligns its faces. There are several of one name during a rollout, or if only some CPUs run int8. Empty while no live worker has it loaded.",
    ),
};

export const ThresholdsCalibration = z.object({
  calibrated_at: z.string().describe("Time of the calibration, in UTC."),
  fmr_wanted: z
    .number()
    .describe(
      "Upper bound for the false match rate (0 to 1) at the thresholds, with 95% confidence, on images like the operator's.",
    ),
  pairs_same: z.int().describe("Number of compared image pairs that show the same person."),
  pairs_different: z.int().describe("Number of compared image pairs that show different people."),
  people: z.int().describe("Number of people in the images."),
  detector: z.string().describe("The face detector that was used."),
});

/** Not `z.record`, whose names generators of clients cannot read. */
const byMetric = <Value extends z.ZodType>(value: Value) =>
  z.object({
    cosine: value.describe("With `cosine`."),
    euclidean: value.describe("With `euclidean`."),
    euclidean_l2: value.describe("With `euclidean_l2`."),
  } satisfies Record<DistanceMetric, Value>);

const card = ModelCard.nullable();

export const FalseMatchRateFrom = z.object({
  source: z
    .enum(["operator", "card"])
    .describe("`operator`: the operator's calibration. `card`: figures that come with the model."),
  pairs: z
    .int()
    .positive()
    .describe(
      "Number of pairs of different people. Each person occurs in several pairs, so the evidence is weaker than the number suggests.",
    ),
});

export const ModelDetails = z.object({
  embedding_size: z.int().positive().describe("How many numbers an embedding of this model has."),
  model_version: ModelVersion.describe(
    "Identifies the weights and the alignment. Embeddings with the same version can be compared.",
  ),
  thresholds: byMetric(z.number()).describe(
    "Default threshold per distance metric: the largest distance that counts as a match.",
  ),
  thresholds_max: byMetric(z.number()).describe(
    "Maximum `threshold` per distance metric: half of the pairs of different people behind `false_match_rate_from` are within it. Without them, no two embeddings are further apart.",
  ),
  thresholds_from: byMetric(z.string()).describe(
    "Where the default threshold for each distance metric comes from, in words.",
  ),
  thresholds_calibration: ThresholdsCalibration.nullable().describe(
    "The operator's calibration of the default thresholds. Null if the thresholds come with the model.",
  ),
  false_match_rate_from: FalseMatchRateFrom.nullable().describe(
    "The measurements behind `false_match_rate` in responses. Null if there are none.",
  ),
  normalizations: z.array(z.string()).describe("Accepted values of `normalization`."),
  ...graph,
  batch_max: z
    .int()
    .positive()
    .nullable()
    .describe("Maximum batch size in images. Null while no live worker has the model loaded."),
  execution_provider: z
    .string()
    .nullable()
    .describe(
      "Device that runs the model: `cpu`, `cuda` or `webgpu`. Null while no live worker has it loaded.",
    ),
  card: card.describe(
    "Error rates of the model under several conditions, measured by the authors of Faceline. Null if not measured.",
  ),
});

export const DetectorDetails = z.object({
  ...graph,
  card: card.describe(
    "How many faces the detector missed, and the error rates of the default model with it. Null if not measured.",
  ),
  missed_width_share: z
    .number()
    .nullable()
    .describe(
      "Next to a clear face, /verify and /compare may miss faces narrower than this share (0 to 1) of the " +
        "longer side of the image, unless `all_faces` is true. Null if they find the same faces as /represent.",
    ),
  found_width_share: z
    .number()
    .nullable()
    .describe(
      "Faces narrower than this share (0 to 1) of the longer side of the image are often missed. Null if not measured.",
    ),
});

const forTeams = "Applies to teams without limits of their own. 0 means unlimited.";

export const Limits = z.object({
  body_bytes: z.int().describe("Maximum size of a request body, in bytes."),
  image_bytes: z.int().describe("Maximum size of an image file in bytes, after decoding Base64."),
  image_pixels: z
    .int()
    .describe(
      "Maximum number of pixels in an image: width × height. A baseline JPEG may have five times as many.",
    ),
  image_decoding_bytes: z
    .int()
    .describe(
      "Maximum memory for decoding an image, in bytes. Images that need more are rejected (`image_too_large`).",
    ),
  image_side_min_px: z.int().describe("Minimum length of the shorter side of an image, in pixels."),
  candidate_vectors: z
    .int()
    .describe("Maximum number of candidates in a /compare request that may be given as embeddings."),
  candidate_images: z.int().describe("Maximum number of images among the candidates of /compare."),
  vector_length: z.int().describe("How many numbers the longest embedding of the enabled models has."),
  faces: z.int().describe("Maximum number of faces returned per image, largest first."),
  deadline_default_ms: z.int().describe("Default deadline of a request, in milliseconds."),
  deadline_min_ms: z.int().describe("Minimum value of `x-request-timeout-ms`."),
  deadline_max_ms: z.int().describe("Maximum value of `x-request-timeout-ms`."),
  team_requests_per_second: z
    .int()
    .describe(`Rate limit of a team: average requests per second. ${forTeams}`),
  team_requests_burst: z
    .int()
    .describe(`Burst of a team: how many requests it may send at once. ${forTeams}`),
  team_in_flight: z.int().describe(`Maximum number of concurrent requests of a team. ${forTeams}`),
});

export const Features = z.object({
  face_policies: z.array(FacePolicy).describe("Accepted values of `face_policy` in /verify."),
  embedding_formats: z
    .array(EmbeddingFormat)
    .describe("Accepted values of `embedding_format` in /represent."),
  vectors: z.boolean().describe("Whether /verify and /compare accept an embedding in place of an image."),
  anti_spoofing: z.boolean().describe("Whether `anti_spoofing` is available."),
  tester: z.boolean().describe("Whether the home page can send requests without an API key."),
  thresholds_unaligned: z
    .literal("unmeasured")
    .describe("The default thresholds were not measured with `align: false`."),
});

/** GET /capabilities: what is enabled now, and which of it live workers serve. */
export const CapabilitiesResponse = z.object({
  models: z
    .array(z.string())
    .describe("Accepted values of `model_name`. The operator can change them at any time."),
  default_model: z.string().describe("The model for requests without `model_name`."),
  detectors: z
    .array(z.string())
    .describe("Accepted values of `detector_backend`. The operator can change them at any time."),
  default_detector: z.string().describe("The detector for requests without `detector_backend`."),
  distance_metrics: z.array(DistanceMetric).describe("Accepted values of `distance_metric`."),
  normalizations: z
    .array(z.string())
    .describe(
      "Values of `normalization` that at least one model accepts. See `model_details` for each model.",
    ),
  image_formats: z.array(z.string()).describe("Accepted image formats."),
  model_details: z.record(z.string(), ModelDetails).describe("Details by model name."),
  detector_details: z.record(z.string(), DetectorDetails).describe("Details by detector name."),
  limits: Limits.describe("Limits on the size, duration and rate of requests."),
  features: Features.describe("Optional features of this service."),
  version: z.string().describe("Version of the service."),
});
export type CapabilitiesResponse = z.infer<typeof CapabilitiesResponse>;
