import * as z from "zod";
import { detectionFields } from "./detection-fields.ts";
import { FacialArea } from "./facial-area.ts";
import { Image } from "./image.ts";
import { ModelVersion, Precision } from "./model-version.ts";
import { replyFields } from "./reply-fields.ts";
import { body, flag, oneOf } from "./request-body.ts";

export const EmbeddingFormat = oneOf(["float", "base64"]);
export type EmbeddingFormat = z.infer<typeof EmbeddingFormat>;

/** POST /represent */
export const RepresentRequest = body(
  { img_path: "img" },
  {
    img: Image,
    ...detectionFields,
    /** A value above the service's own limit is valid; the limit applies then. */
    max_faces: z
      .int("must be a whole number of 1 or more")
      .min(1, "must be a whole number of 1 or more")
      .optional()
      .describe("So many faces at most; the largest come first."),
    l2_normalize: flag(false, "True: vectors of length 1."),
    embedding_format: EmbeddingFormat.default("float").describe(
      "`base64` is float32, little-endian: a quarter of the size of the same numbers as text.",
    ),
  },
);
export type RepresentRequest = z.infer<typeof RepresentRequest>;

/** `?format=array`: the reply is the array of results alone, which clients of the hosted API expect. */
export const RepresentQuery = z.object({ format: oneOf(["object", "array"]).default("object") });

export const RepresentResult = z.object({
  embedding: z.union([z.array(z.number()), z.base64()]),
  facial_area: FacialArea,
  face_confidence: z.number().min(0).max(1),
  model_name: z.string(),
  model_version: ModelVersion.describe("Names the weights. Store it with the embedding."),
  precision: Precision.describe("Of the computation. Embeddings of both precisions may be compared."),
});
export type RepresentResult = z.infer<typeof RepresentResult>;

export const RepresentReply = z.object({
  results: z.array(RepresentResult),
  model: z.string(),
  detector_backend: z.string(),
  ...replyFields,
});
export type RepresentReply = z.infer<typeof RepresentReply>;
