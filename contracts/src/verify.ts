import * as z from "zod";
import { body } from "./body.ts";
import { DistanceMetric, detectionFields, distanceFields, ImageOrVector } from "./detection.ts";
import { FacialArea } from "./face.ts";
import { RequestId } from "./ids.ts";

/** With several faces in an image: the nearest pair, the largest of each, or a refusal. */
export const FacePolicy = z.enum(["best_pair", "largest", "single_only"]);
export type FacePolicy = z.infer<typeof FacePolicy>;

/** POST /verify */
export const VerifyRequest = body(
  { img1_path: "img1", img2_path: "img2" },
  {
    img1: ImageOrVector,
    img2: ImageOrVector,
    ...detectionFields,
    ...distanceFields,
    face_policy: FacePolicy.default("best_pair"),
  },
);
export type VerifyRequest = z.infer<typeof VerifyRequest>;

export const VerifyReply = z.object({
  verified: z.boolean(),
  /** Rounded to 6 decimals before it was held against the threshold. */
  distance: z.number().nonnegative(),
  threshold: z.number().nonnegative(),
  model: z.string(),
  detector_backend: z.string(),
  similarity_metric: DistanceMetric,
  /** Null where a vector came in place of the image. */
  facial_areas: z.object({ img1: FacialArea.nullable(), img2: FacialArea.nullable() }),
  /** Seconds. */
  time: z.number().nonnegative(),
  request_id: RequestId,
});
export type VerifyReply = z.infer<typeof VerifyReply>;
