import * as z from "zod";
import { detectionFields } from "./detection-fields.ts";
import { FacialArea } from "./facial-area.ts";
import { Image, imageDescription } from "./image.ts";
import { ModelVersion, Precision } from "./model-version.ts";
import { qualityField, qualityIssuesField } from "./quality.ts";
import { replyFields } from "./reply-fields.ts";
import { body, flag, oneOf } from "./request-body.ts";

export const EmbeddingFormat = oneOf(["float", "base64"]);
export type EmbeddingFormat = z.infer<typeof EmbeddingFormat>;

/** POST /represent */
export const RepresentRequest = body(
  { img_path: "img" },
  {
    img: Image.describe(`Image whose faces to embed. ${imageDescription}`),
    ...detectionFields,
    /** A value above the service's own limit is valid; the limit applies then. */
    max_faces: z
      .int("must be a whole number of 1 or more")
      .min(1, "must be a whole number of 1 or more")
      .optional()
      .describe("Most faces to return, the largest first. Left out: `limits.faces` of /capabilities."),
    l2_normalize: flag(
      false,
      "True: embeddings are scaled to length 1. Compare them by `cosine` or `euclidean_l2`: by `euclidean` " +
        "they are refused (`invalid_vector`), unless those of the model always have length 1.",
    ),
    embedding_format: EmbeddingFormat.default("float").describe(
      "`base64` is float32, little-endian: a quarter of the size of the same numbers as text.",
    ),
  },
);
export type RepresentRequest = z.infer<typeof RepresentRequest>;

/** `?format=array`: the reply is the array of results alone, which clients of the hosted API expect. */
export const RepresentQuery = z.object({ format: oneOf(["object", "array"]).default("object") });

export const RepresentResult = z.object({
  embedding: z
    .union([z.array(z.number()), z.base64()])
    .describe("Embedding of the face: a list of numbers, or Base64 where `embedding_format` is `base64`."),
  facial_area: FacialArea.describe("Where the face is in the image."),
  face_confidence: z
    .number()
    .min(0)
    .max(1)
    .describe("Score of the detector for this face; 0 where the whole image was taken as the face."),
  quality: qualityField,
  quality_issues: qualityIssuesField,
  model_name: z.string().describe("The model that computed the embedding."),
  model_version: ModelVersion.describe("Names the weights of the model. Store it with the embedding."),
  precision: Precision.describe("Number format of the computation. Embeddings of both may be compared."),
});
export type RepresentResult = z.infer<typeof RepresentResult>;

export const RepresentResponse = z.object({
  results: z
    .array(RepresentResult)
    .describe(
      "One for each face, the largest first: by the area of `facial_area`; of equal ones that with the higher " +
        "`face_confidence`, then from left to right and from top to bottom.",
    ),
  model: z.string().describe("The model that computed the embeddings."),
  detector_backend: z.string().describe("The detector that found the faces."),
  ...replyFields,
});
export type RepresentResponse = z.infer<typeof RepresentResponse>;
