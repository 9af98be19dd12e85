import * as z from "zod";
import { body } from "./body.ts";
import { DistanceMetric, detectionFields, distanceFields } from "./detection.ts";
import { errorTable } from "./errors.ts";
import { RequestId } from "./ids.ts";
import { Vector } from "./vector.ts";

/**
 * POST /compare. A candidate is `{"id"?, "vector"}`, `{"id"?, "img"}`, a plain vector or a plain image. They are read one
 * by one in the ingress: a candidate that makes no sense fails alone.
 */
export const CompareRequest = body(
  {
    source_vector: "vector",
    target_vectors: "candidates",
    target_vector: "candidates",
    vectors: "candidates",
    vector_b: "candidates",
    metric: "distance_metric",
  },
  {
    img: z.string().optional(),
    vector: Vector.optional(),
    /** One bare vector is a list of one candidate: that is what `target_vector` and `vector_b` hold. */
    candidates: z.preprocess(
      (given) => (Array.isArray(given) && typeof given[0] === "number" ? [given] : given),
      z.array(z.unknown()).min(1),
    ),
    ...detectionFields,
    ...distanceFields,
    /** Which face of the source image, largest first. */
    face_index: z.int().nonnegative().default(0),
  },
);
export type CompareRequest = z.infer<typeof CompareRequest>;

/** Longer ids are the client's to keep. */
export const candidateIdCharactersMax = 256;

const Compared = z.object({
  /** The candidate's place in the request. */
  index: z.int().nonnegative(),
  distance: z.number().nonnegative(),
  id: z.string(),
  match: z.boolean(),
});
export type Compared = z.infer<typeof Compared>;

const NotCompared = z.object({
  index: z.int().nonnegative(),
  id: z.string(),
  error: z.enum(Object.keys(errorTable) as [keyof typeof errorTable]),
  detail: z.string(),
});
export type NotCompared = z.infer<typeof NotCompared>;

export const CompareReply = z.object({
  model_name: z.string(),
  metric: DistanceMetric,
  source: z.object({
    type: z.enum(["image", "vector"]),
    vector_length: z.int().positive(),
    /** Null for a vector. */
    face_index: z.int().nonnegative().nullable(),
  }),
  /** In the order of the request. */
  results: z.array(z.union([Compared, NotCompared])),
  threshold: z.number().nonnegative(),
  /** The least distance of all, whether or not it matches; the first of equals. */
  best_match: Compared,
  /** Seconds. */
  time: z.number().nonnegative(),
  request_id: RequestId,
});
export type CompareReply = z.infer<typeof CompareReply>;
