import * as z from "zod";
import { qualityRequestFields } from "./quality.ts";
import { Flag, flag, oneOf } from "./request-body.ts";

export const DistanceMetric = oneOf(["cosine", "euclidean", "euclidean_l2"]);
export type DistanceMetric = z.infer<typeof DistanceMetric>;

const Name = z.string("must be a name");

/**
 * Fields of every call that detects faces. `model_name` and `detector_backend` default to the operator's
 * choice.
 */
export const detectionFields = {
  model_name: Name.optional().describe("One of `models` of /capabilities. Left out: its `default_model`."),
  detector_backend: Name.optional().describe(
    "One of `detectors` of /capabilities. Left out: its `default_detector`.",
  ),
  enforce_detection: flag(
    true,
    "False: where no face is found, the whole image is taken as the face. The answer says so " +
      "(`face_found: false`), and nothing is a match then.",
  ),
  align: flag(
    true,
    "False: the face is cut out by its box, without being turned upright. Default thresholds are unmeasured then.",
  ),
  normalization: Name.default("base").describe(
    "`base` is the model's own preprocessing. One of `normalizations` of the model in /capabilities.",
  ),
  ...qualityRequestFields,
  /** Refused rather than ignored: a caller would otherwise rely on a check that was not made. */
  anti_spoofing: Flag.default(false)
    .refine((value) => !value, "must be false or left out: this service does not offer it")
    .describe("Not offered: true is refused (`invalid_request`)."),
  expand_percentage: z
    .literal(0, "must be 0 or left out: this service does not offer it")
    .default(0)
    .describe("Not offered: anything but 0 is refused (`invalid_request`)."),
};

const thresholdMessage = "must be a number of 0 or more: it is a distance, by cosine from 0 to 2";

/** Further fields of the calls that compare faces. */
export const distanceFields = {
  distance_metric: DistanceMetric.default("cosine").describe(
    "How the distance of two embeddings is computed. By `euclidean`, embeddings that were sent must be as " +
      "/represent returned them without `l2_normalize`: those of other lengths are refused (`invalid_vector`).",
  ),
  threshold: z
    .number(thresholdMessage)
    .nonnegative(thresholdMessage)
    .optional()
    .describe(
      "The largest distance that counts as a match: not a percentage, and not a similarity. From 0 to 2 by " +
        "`cosine` and `euclidean_l2`; by `euclidean` up to `thresholds_max` in `model_details` of " +
        "/capabilities. A larger one would match everybody and is refused (`invalid_request`). Left out: the " +
        "model's own for the metric (`thresholds` there).",
    ),
  all_faces: flag(
    false,
    "True: every face that /represent finds counts. False: faster, and beside a clear face small ones " +
      "may be missed (`missed_width_share` of /capabilities).",
  ),
  model_version: Name.optional().describe(
    "The `model_version` that /represent returned with the embeddings of the call. If the model runs with " +
      "another version, the call is refused (`model_not_allowed`).",
  ),
};
