import * as z from "zod";
import { body, Flag } from "./body.ts";
import { detectionFields } from "./detection.ts";
import { FacialArea } from "./face.ts";
import { RequestId } from "./ids.ts";

/** `base64` is float32, little-endian: a quarter of the size of the same numbers as text. */
export const EmbeddingFormat = z.enum(["float", "base64"]);
export type EmbeddingFormat = z.infer<typeof EmbeddingFormat>;

/** POST /represent */
export const RepresentRequest = body(
  { img_path: "img" },
  {
    img: z.string(),
    ...detectionFields,
    /** The largest come first. More than the service gives at all is no mistake: it gives what it gives. */
    max_faces: z.int().min(1).optional(),
    l2_normalize: Flag.default(false),
    embedding_format: EmbeddingFormat.default("float"),
  },
);
export type RepresentRequest = z.infer<typeof RepresentRequest>;

/** `?format=array` answers with the bare array of results, which clients of the hosted API read. */
export const RepresentQuery = z.object({ format: z.enum(["object", "array"]).default("object") });

export const RepresentResult = z.object({
  embedding: z.union([z.array(z.number()), z.base64()]),
  facial_area: FacialArea,
  face_confidence: z.number().min(0).max(1),
  model_name: z.string(),
});
export type RepresentResult = z.infer<typeof RepresentResult>;

export const RepresentReply = z.object({
  results: z.array(RepresentResult),
  model: z.string(),
  detector_backend: z.string(),
  /** Seconds. */
  time: z.number().nonnegative(),
  request_id: RequestId,
});
export type RepresentReply = z.infer<typeof RepresentReply>;
