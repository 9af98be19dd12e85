import * as z from "zod";
import { qualityRequestFields } from "./quality.ts";
import { Flag, flag, oneOf } from "./request-body.ts";

export const DistanceMetric = oneOf(["cosine", "euclidean", "euclidean_l2"]);
export type DistanceMetric = z.infer<typeof DistanceMetric>;

const Name = z.string("must be a name");

/**
 * Fields of every request that detects faces. `model_name` and `detector_backend` default to the operator's
 * choice.
 */
export const detectionFields = {
  model_name: Name.optional().describe("One of `models` in /capabilities. Defaults to its `default_model`."),
  detector_backend: Name.optional().describe(
    "One of `detectors` in /capabilities. Defaults to its `default_detector`.",
  ),
  enforce_detection: flag(
    true,
    "If false, an image without a face is used as a whole. The response then has `face_found: false` and " +
      "no match.",
  ),
  align: flag(
    true,
    "Rotate the face upright before embedding. If false, the face is cropped as it is; default thresholds " +
      "are not measured for that.",
  ),
  normalization: Name.default("base").describe(
    "One of the model's `normalizations` in /capabilities. `base` is its own preprocessing.",
  ),
  ...qualityRequestFields,
  /** Refused rather than ignored: a caller would otherwise rely on a check that was not made. */
  anti_spoofing: Flag.default(false)
    .refine((value) => !value, "must be false or left out: this service does not offer it")
    .describe("Not offered: true is rejected (`invalid_request`)."),
  expand_percentage: z
    .literal(0, "must be 0 or left out: this service does not offer it")
    .default(0)
    .describe("Not offered: any value but 0 is rejected (`invalid_request`)."),
};

const thresholdMessage = "must be a number of 0 or more: it is a distance, by cosine from 0 to 2";

/** Further fields of requests that compare faces. */
export const distanceFields = {
  distance_metric: DistanceMetric.default("cosine").describe(
    "Metric for the distance between two embeddings. `euclidean` needs embeddings without `l2_normalize`; " +
      "scaled ones are rejected (`invalid_vector`).",
  ),
  threshold: z
    .number(thresholdMessage)
    .nonnegative(thresholdMessage)
    .optional()
    .describe(
      "The largest distance that counts as a match. This is not a percentage and not a similarity: from 0 to 2 " +
        "for `cosine` and `euclidean_l2`; for `euclidean` up to `thresholds_max` in `model_details` of " +
        "/capabilities. Larger values would match everyone and are rejected (`invalid_request`). Defaults to " +
        "the model's `thresholds` there.",
    ),
  all_faces: flag(
    false,
    "Find every face, including small ones next to a clear one. If false, the search is faster and may miss " +
      "them (`missed_width_share` in /capabilities).",
  ),
  model_version: Name.optional().describe(
    "The `model_version` of your embeddings. The request is rejected if the model runs another version " +
      "(`model_not_allowed`).",
  ),
};
