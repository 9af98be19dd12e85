import * as z from "zod";
import { DistanceMetric, detectionFields, distanceAliases, distanceFields } from "./detection-fields.ts";
import { ErrorCode } from "./errors.ts";
import { FacialArea } from "./facial-area.ts";
import { FalseMatchRate } from "./false-match-rate.ts";
import { Image, imageDescription } from "./image.ts";
import { ModelVersion } from "./model-version.ts";
import { referencesMax } from "./references.ts";
import { responseFields, thresholdResponseFields } from "./response-fields.ts";
import { body } from "./request-body.ts";
import { NamedVector, Vector } from "./vector.ts";

/** Longest `id` of a candidate, in UTF-16 code units. */
export const candidateIdCharactersMax = 256;

const CandidateId = z
  .union([z.string().max(candidateIdCharactersMax), z.number()])
  .describe("Your own ID for the candidate, returned with its result as a string.");
const vectorOfCandidate =
  "The candidate as an embedding from /represent: a list of numbers, or float32 numbers as Base64.";
const imageOfCandidate = `The candidate as an image. ${imageDescription}`;

const PersonName = z
  .string()
  .min(1)
  .max(candidateIdCharactersMax)
  .describe(
    `Who the candidate shows. Up to ${referencesMax} candidates with the same \`person\` are compared as one: ` +
      "their embeddings are averaged, and they have one result. Each of their images must show one face, and `distance_metric` must not be `euclidean`.",
  );

export const CandidateVector = z.object({
  id: CandidateId.optional(),
  person: PersonName.optional(),
  vector: NamedVector.describe(vectorOfCandidate),
  model_version: ModelVersion.optional().describe(
    "The `model_version` of this embedding. All embeddings of a request must have the same one.",
  ),
});
export const CandidateImage = z.object({
  id: CandidateId.optional(),
  person: PersonName.optional(),
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
    ...distanceAliases,
  },
  {
    img: Image.optional().describe(
      `The source as an image. Send either \`img\` or \`vector\`. ${imageDescription}`,
    ),
    vector: NamedVector.optional().describe(
      "The source as an embedding from /represent: a list of numbers, or float32 numbers as Base64.",
    ),
    /** A single vector, as in `target_vector` and `vector_b`, becomes a list of one candidate. */
    candidates: z
      .preprocess(
        (value) => (Array.isArray(value) && typeof value[0] === "number" ? [value] : value),
        z.array(RawCandidate, listOfCandidates).min(1, listOfCandidates),
      )
      .describe(
        "Images and embeddings to compare with the source, each on its own or in an object with an `id`. " +
          "A string on its own is read as an image, so an embedding as Base64 needs an object. See `limits` in /capabilities for the maximum numbers.",
      ),
    ...detectionFields,
    ...distanceFields,
    face_index: z
      .int("must be a whole number of 0 or more")
      .nonnegative("must be a whole number of 0 or more")
      .default(0)
      .describe(
        "Which face of the source image to use, counted from 0 in the order of /represent: largest first.",
      ),
  },
);
export type CompareRequest = z.infer<typeof CompareRequest>;

const CandidateIndex = z
  .int()
  .nonnegative()
  .describe("Position of the candidate in the request, starting at 0.");

/** Fields of every result, whether it has a distance or not. */
const resultPerson = z
  .string()
  .nullable()
  .describe("The `person` of the candidate, or null. `index` and `id` are then of the person's first one.");

const ResultId = z.string().describe("The `id` of the candidate as a string. Defaults to its `index`.");

const faceFound = (what: string) =>
  z
    .boolean()
    .nullable()
    .describe(
      `False if no face was found in the ${what} and the whole image was used (\`enforce_detection: false\`). ` +
        "Null for an embedding.",
    );

export const ComparedCandidate = z.object({
  index: CandidateIndex,
  distance: z
    .number()
    .nonnegative()
    .describe(
      "Distance from the source, measured by `distance_metric` and rounded to 6 decimal places. If the image has several faces, the closest one is used.",
    ),
  false_match_rate: FalseMatchRate,
  id: ResultId,
  match: z
    .boolean()
    .describe(
      "Whether the distance is within the threshold. Always false if the source or the candidate has no face (`face_found: false`).",
    ),
  face_found: faceFound("candidate"),
  facial_areas: z
    .array(FacialArea.nullable())
    .describe("The compared face in each image of the candidate or person, or null for an embedding."),
  person: resultPerson,
  references: z.int().positive().describe("How many embeddings were averaged: 1 without a `person`."),
});
export type ComparedCandidate = z.infer<typeof ComparedCandidate>;

export const FailedCandidate = z.object({
  index: CandidateIndex,
  id: ResultId,
  person: resultPerson.describe("The `person` of the candidate, or null. A person fails with any reference."),
  error: ErrorCode.describe("Stable error code that says why the candidate could not be compared."),
  detail: z.string().describe("Human-readable explanation."),
});
export type FailedCandidate = z.infer<typeof FailedCandidate>;

export const CompareResponse = z.object({
  model_name: z.string().describe("The model that the embeddings and the default threshold belong to."),
  distance_metric: DistanceMetric.describe("The metric of all distances and the threshold."),
  metric: DistanceMetric.describe("The same as `distance_metric`, for clients of the hosted DeepFace API."),
  source: z
    .object({
      type: z.enum(["image", "vector"]).describe("Whether the source is an image or an embedding."),
      vector_length: z.int().positive().describe("How many numbers the source embedding has."),
      face_index: z
        .int()
        .nonnegative()
        .nullable()
        .describe("Index of the face used from the source image. Null for an embedding."),
      face_found: faceFound("source"),
      facial_area: FacialArea.nullable().describe("The face used from the image, or null for an embedding."),
    })
    .describe("The source of the comparison."),
  results: z
    .array(z.union([ComparedCandidate, FailedCandidate]))
    .describe(
      "One result per candidate, or per `person` in place of the first one, in the order of the request.",
    ),
  ...thresholdResponseFields,
  best_match: ComparedCandidate.describe(
    "The closest candidate or person, whether it matches or not. If several are equally close, the first of them.",
  ),
  ...responseFields,
});
export type CompareResponse = z.infer<typeof CompareResponse>;
