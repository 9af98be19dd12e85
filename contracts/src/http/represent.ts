import * as z from "zod";
import { detectionAliases, detectionFields, Name } from "./detection-fields.ts";
import { FacialArea } from "./facial-area.ts";
import { Image, imageDescription } from "./image.ts";
import { ModelVersion, Precision } from "./model-version.ts";
import { qualityField, qualityIssuesField } from "./quality.ts";
import { responseFields } from "./response-fields.ts";
import { body, flag, oneOf } from "./request-body.ts";

export const EmbeddingFormat = oneOf(["float", "base64"]);
export type EmbeddingFormat = z.infer<typeof EmbeddingFormat>;

/** Most models of one request: each detects and embeds the faces of its own accord. */
const modelsMax = 4;
const modelsRule = `must be a name, or a list of 1 to ${modelsMax}`;

/** POST /represent */
export const RepresentRequest = body(
  { img_path: "img", ...detectionAliases },
  {
    img: Image.describe(`The image. ${imageDescription}`),
    ...detectionFields,
    model_name: z
      .union([Name, z.array(Name, modelsRule).min(1, modelsRule).max(modelsMax, modelsRule)], modelsRule)
      .optional()
      .describe(
        "The model to use, or a list of them: `models` in /capabilities. With a list, every model embeds every face. Defaults to `default_model` there.",
      ),
    /** A value above the service's own limit is valid; the limit applies then. */
    max_faces: z
      .int("must be a whole number of 1 or more")
      .min(1, "must be a whole number of 1 or more")
      .optional()
      .describe(
        "Maximum number of faces to return, largest first. Defaults to `limits.faces` in /capabilities.",
      ),
    l2_normalize: flag(
      false,
      "Scale embeddings to length 1, for comparison by `cosine` or `euclidean_l2`. Scaled embeddings are rejected with `euclidean` (`invalid_vector`), unless all embeddings of the model have length 1.",
    ),
    embedding_format: EmbeddingFormat.default("float").describe(
      "`float`: a list of numbers. `base64`: little-endian float32 numbers as Base64, a quarter of the size.",
    ),
  },
);
export type RepresentRequest = z.infer<typeof RepresentRequest>;

/** `?format=array`: the response is the bare array of results, which clients of the hosted API expect. */
export const RepresentQuery = z.object({ format: oneOf(["object", "array"]).default("object") });

export const RepresentResult = z.object({
  embedding: z
    .union([z.array(z.number()), z.base64()])
    .describe("The embedding: a list of numbers, or Base64 with `embedding_format: base64`."),
  facial_area: FacialArea.describe("Position of the face in the image."),
  face_confidence: z
    .number()
    .min(0)
    .max(1)
    .describe("The detector's score for the face. 0 if no face was found and the whole image was used."),
  quality: qualityField,
  quality_issues: qualityIssuesField,
  model_name: z.string().describe("The model that computed the embedding."),
  model_version: ModelVersion.describe(
    "Identifies the weights and the alignment of the model. Store it with the embedding.",
  ),
  precision: Precision.describe(
    "Number format of the computation. Embeddings of either format can be compared with each other.",
  ),
});
export type RepresentResult = z.infer<typeof RepresentResult>;

export const RepresentResponse = z.object({
  results: z
    .array(RepresentResult)
    .describe(
      "One result per face and model, in the order of the models. The faces of each are sorted largest first by the area of `facial_area`. Faces of equal area are ordered by `face_confidence`, highest first, then from left to right, then from top to bottom.",
    ),
  model: z.string().describe("The model that computed the embeddings; the first of a list."),
  detector_backend: z.string().describe("The detector that found the faces."),
  ...responseFields,
});
export type RepresentResponse = z.infer<typeof RepresentResponse>;
