import * as z from "zod";
import { DistanceMetric, detectionFields, distanceFields } from "./detection-fields.ts";
import { ErrorCode } from "./errors.ts";
import { Image } from "./image.ts";
import { replyFields } from "./reply-fields.ts";
import { body } from "./request-body.ts";
import { Vector } from "./vector.ts";

/** Longest `id` of a candidate, in UTF-16 code units. */
export const candidateIdCharactersMax = 256;

const CandidateId = z.union([z.string().max(candidateIdCharactersMax), z.number()]);

/**
 * A candidate as the OpenAPI document and clients see it. The service returns `id` unchanged and does not
 * interpret it.
 */
export const Candidate = z.union([
  Image,
  Vector,
  z.object({ id: CandidateId.optional(), vector: Vector }),
  z.object({ id: CandidateId.optional(), img: Image }),
]);
export type Candidate = z.infer<typeof Candidate>;

/** A candidate of the body before its validation. */
export const RawCandidate = z.unknown();

/**
 * For the OpenAPI document only: the ingress checks this itself, to answer with more specific error codes.
 */
const required = (...names: string[]) => ({ required: names });

const listOfCandidates = "must be a list of at least one vector or image";

/**
 * POST /compare. A candidate is `{"id"?, "vector"}`, `{"id"?, "img"}`, a vector or an image. The ingress
 * validates candidates one by one, so that an invalid one fails alone.
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
    img: Image.optional(),
    vector: Vector.optional(),
    /** A single vector, as in `target_vector` and `vector_b`, becomes a list of one candidate. */
    candidates: z.preprocess(
      (value) => (Array.isArray(value) && typeof value[0] === "number" ? [value] : value),
      z.array(RawCandidate, listOfCandidates).min(1, listOfCandidates),
    ),
    ...detectionFields,
    ...distanceFields,
    face_index: z
      .int("must be a whole number of 0 or more")
      .nonnegative("must be a whole number of 0 or more")
      .default(0)
      .describe("Which face of the source image, largest first."),
  },
).meta({ oneOf: [required("img"), { anyOf: [required("vector"), required("source_vector")] }] });
export type CompareRequest = z.infer<typeof CompareRequest>;

const CandidateIndex = z.int().nonnegative().describe("The candidate's place in the request.");

const Compared = z.object({
  index: CandidateIndex,
  distance: z.number().nonnegative(),
  id: z.string(),
  match: z.boolean(),
});
export type ComparedCandidate = z.infer<typeof Compared>;

const NotCompared = z.object({ index: CandidateIndex, id: z.string(), error: ErrorCode, detail: z.string() });
export type FailedCandidate = z.infer<typeof NotCompared>;

export const CompareReply = z.object({
  model_name: z.string(),
  metric: DistanceMetric,
  source: z.object({
    type: z.enum(["image", "vector"]),
    vector_length: z.int().positive(),
    face_index: z.int().nonnegative().nullable().describe("Null for a vector."),
  }),
  results: z.array(z.union([Compared, NotCompared])).describe("In the order of the request."),
  threshold: z.number().nonnegative(),
  best_match: Compared.describe("The least distance of all, whether or not it matches; the first of equals."),
  ...replyFields,
});
export type CompareReply = z.infer<typeof CompareReply>;
