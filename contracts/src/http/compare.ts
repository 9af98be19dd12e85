import * as z from "zod";
import { DistanceMetric, detectionFields, distanceFields } from "./detection-fields.ts";
import { ErrorCode } from "./errors.ts";
import { FalseMatchRate } from "./false-match-rate.ts";
import { Image, imageDescription } from "./image.ts";
import { replyFields } from "./reply-fields.ts";
import { body } from "./request-body.ts";
import { NamedVector, Vector } from "./vector.ts";

/** Longest `id` of a candidate, in UTF-16 code units. */
export const candidateIdCharactersMax = 256;

const CandidateId = z
  .union([z.string().max(candidateIdCharactersMax), z.number()])
  .describe("Your own name for the candidate, returned with its result as a string.");
const vectorOfCandidate =
  "The candidate as an embedding that /represent returned earlier: a list, or Base64 of float32.";
const imageOfCandidate = `The candidate as an image. ${imageDescription}`;

export const CandidateVector = z.object({
  id: CandidateId.optional(),
  vector: NamedVector.describe(vectorOfCandidate),
});
export const CandidateImage = z.object({
  id: CandidateId.optional(),
  img: Image.describe(imageOfCandidate),
});

/**
 * A candidate as the OpenAPI document and clients see it. The service returns `id` unchanged and does not
 * interpret it.
 */
export const Candidate = z.union([Image, Vector, CandidateVector, CandidateImage]);
export type Candidate = z.input<typeof Candidate>;

/** A candidate of the body before its validation. */
export const RawCandidate = z.unknown();

const listOfCandidates = "must be a list of at least one image or embedding";

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
    img: Image.optional().describe(`The source as an image. ${imageDescription}`),
    vector: NamedVector.optional().describe(
      "The source as an embedding that /represent returned earlier: a list, or Base64 of float32.",
    ),
    /** A single vector, as in `target_vector` and `vector_b`, becomes a list of one candidate. */
    candidates: z
      .preprocess(
        (value) => (Array.isArray(value) && typeof value[0] === "number" ? [value] : value),
        z.array(RawCandidate, listOfCandidates).min(1, listOfCandidates),
      )
      .describe(
        "What the source is compared with: images and embeddings, bare or in an object with an `id`. A bare text " +
          "is an image; an embedding as Base64 stands in the `vector` of an object. " +
          "`limits` of /capabilities has the most of each.",
      ),
    ...detectionFields,
    ...distanceFields,
    face_index: z
      .int("must be a whole number of 0 or more")
      .nonnegative("must be a whole number of 0 or more")
      .default(0)
      .describe(
        "Which face of the source image is compared, counted from 0, the largest first, as /represent orders them.",
      ),
  },
);
export type CompareRequest = z.infer<typeof CompareRequest>;

const CandidateIndex = z.int().nonnegative().describe("The candidate's position in the request, from 0.");

const ResultId = z
  .string()
  .describe("The candidate's `id` as a string; its `index` as a string where none was sent.");

const faceFound = (what: string) =>
  z
    .boolean()
    .nullable()
    .describe(
      `False where no face was found in the ${what}, and the whole image was taken as the face ` +
        `(\`enforce_detection: false\`). Null if the ${what} is an embedding.`,
    );

export const ComparedCandidate = z.object({
  index: CandidateIndex,
  distance: z
    .number()
    .nonnegative()
    .describe(
      "Distance from the source by `metric`, rounded to 6 decimals. For an image with several faces, that of " +
        "the nearest.",
    ),
  false_match_rate: FalseMatchRate,
  id: ResultId,
  match: z
    .boolean()
    .describe(
      "Whether the distance is at most the threshold. Always false where no face was found in the source or " +
        "in the candidate (`face_found: false`).",
    ),
  face_found: faceFound("candidate"),
});
export type ComparedCandidate = z.infer<typeof ComparedCandidate>;

export const FailedCandidate = z.object({
  index: CandidateIndex,
  id: ResultId,
  error: ErrorCode.describe("Why the candidate could not be compared, as a stable code."),
  detail: z.string().describe("The same as a sentence for people."),
});
export type FailedCandidate = z.infer<typeof FailedCandidate>;

export const CompareResponse = z.object({
  model_name: z.string().describe("The model that computed the embeddings, or whose threshold was used."),
  metric: DistanceMetric.describe("The metric of the distances and of the threshold."),
  source: z
    .object({
      type: z.enum(["image", "vector"]).describe("Whether the source was an image or an embedding."),
      vector_length: z.int().positive().describe("Count of numbers in the embedding of the source."),
      face_index: z
        .int()
        .nonnegative()
        .nullable()
        .describe("Which face of the source image was compared, from 0. Null if the source is an embedding."),
      face_found: faceFound("source"),
    })
    .describe("What the candidates were compared with."),
  results: z
    .array(z.union([ComparedCandidate, FailedCandidate]))
    .describe("One for each candidate, in the order of the request."),
  threshold: z
    .number()
    .nonnegative()
    .describe("The largest distance that counts as a match: that of the request, or the model's own."),
  best_match: ComparedCandidate.describe(
    "The result with the smallest distance, whether or not it matches; the first of equal ones.",
  ),
  ...replyFields,
});
export type CompareResponse = z.infer<typeof CompareResponse>;
