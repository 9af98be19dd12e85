import * as z from "zod";
import { Flag } from "./body.ts";
import { vectorLengthMax, isVector } from "./vector.ts";

export const DistanceMetric = z.enum(["cosine", "euclidean", "euclidean_l2"]);
export type DistanceMetric = z.infer<typeof DistanceMetric>;

/** Every name that DeepFace knows. A model takes those that its catalogue entry lists. */
export const Normalization = z.enum([
  "base",
  "raw",
  "Facenet",
  "Facenet2018",
  "VGGFace",
  "VGGFace2",
  "ArcFace",
]);

/** What every call that looks for faces may ask for. Left out, model and detector are the operator's defaults. */
export const detectionFields = {
  model_name: z.string().optional(),
  detector_backend: z.string().optional(),
  /** False: where no face is found, the whole image is the face. */
  enforce_detection: Flag.default(true),
  /** False: the detector's box as it is. */
  align: Flag.default(true),
  normalization: Normalization.default("base"),
  /** Ignoring this one would let a caller believe that a photograph of a photograph had been refused. */
  anti_spoofing: Flag.default(false).refine((wanted) => !wanted, "is not offered"),
};

/** What the calls that compare may ask for besides. Left out, the threshold is the model's own for the metric. */
export const distanceFields = {
  distance_metric: DistanceMetric.default("cosine"),
  threshold: z.number().nonnegative().optional(),
};

/** A Base64 payload or a data URL, or the vector that an image had become earlier. */
export const ImageOrVector = z.custom<string | number[]>(
  (given) => typeof given === "string" || isVector(given),
  `must be an image (Base64 or a data URL) or a list of 1 to ${vectorLengthMax} finite numbers`,
);
