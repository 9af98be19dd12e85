import * as z from "zod";
import { qualityRequestFields } from "./quality.ts";
import { Flag, flag, oneOf } from "./request-body.ts";

export const DistanceMetric = oneOf(["cosine", "euclidean", "euclidean_l2"]);
export type DistanceMetric = z.infer<typeof DistanceMetric>;

export const Name = z.string("must be a name");

/**
 * Fields of every request that detects faces. `model_name` and `detector_backend` default to the operator's
 * choice.
 */
export const detectionFields = {
  model_name: Name.optional().describe(
    "The model to use: one of `models` in /capabilities. Defaults to `default_model` there.",
  ),
  detector_backend: Name.optional().describe(
    "The detector to use: one of `detectors` in /capabilities. Defaults to `default_detector` there.",
  ),
  enforce_detection: flag(
    true,
    "If false, the whole image is used when no face is found. The response then has `face_found: false` and never reports a match.",
  ),
  align: flag(
    true,
    "Rotate the face upright before it is embedded. If false, the face is cropped as it is; the default thresholds were not measured with such faces.",
  ),
  normalization: Name.default("base").describe(
    "How faces are preprocessed: one of the model's `normalizations` in /capabilities. `base` is the model's own preprocessing.",
  ),
  ...qualityRequestFields,
  /** Refused rather than ignored: a caller would otherwise rely on a check that was not made. */
  anti_spoofing: Flag.default(false)
    .refine((value) => !value, "must be false or left out: this service does not offer it")
    .describe("Not offered. Setting this to true returns `invalid_request`."),
  expand_percentage: z
    .literal(0, "must be 0 or left out: this service does not offer it")
    .default(0)
    .describe("Not offered. Any value other than 0 returns `invalid_request`."),
};

/** Other names of these fields: `model` as in DeepFace's responses. */
export const detectionAliases = { model: "model_name" };

/** Other names of the fields below: those of DeepFace's responses and of the hosted API's. */
export const distanceAliases = {
  ...detectionAliases,
  metric: "distance_metric",
  similarity_metric: "distance_metric",
};

const thresholdMessage = "must be a number of 0 or more: it is a distance, by cosine from 0 to 2";

/** Further fields of requests that compare faces. */
export const distanceFields = {
  distance_metric: DistanceMetric.default("cosine").describe(
    "Metric for the distance between two embeddings. `euclidean` needs embeddings that were computed without `l2_normalize`; scaled embeddings are rejected (`invalid_vector`).",
  ),
  threshold: z
    .number(thresholdMessage)
    .nonnegative(thresholdMessage)
    .optional()
    .describe(
      "The largest distance that counts as a match. This is neither a percentage nor a similarity, and " +
        "thresholds of other models and libraries do not apply. Values above `thresholds_max` in `model_details` of /capabilities would match most people and are rejected (`invalid_request`). Defaults to the model's `thresholds` there.",
    ),
  all_faces: flag(
    false,
    "Find every face, including small ones next to a clear one. If false, the search is faster but may miss those (`missed_width_share` in /capabilities).",
  ),
  model_version: Name.optional().describe(
    "The `model_version` that /represent returned with your embeddings. It selects the model if `model_name` is absent. The request is rejected if no worker runs it (`model_not_allowed`), or if an embedding comes with neither of the two (`missing_model_version`).",
  ),
};
