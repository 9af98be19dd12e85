import * as z from "zod";
import { DistanceMetric, detectionFields, distanceFields } from "./detection-fields.ts";
import { FacialArea } from "./facial-area.ts";
import { ImageOrVector } from "./image.ts";
import { replyFields } from "./reply-fields.ts";
import { body, oneOf } from "./request-body.ts";

/** How faces are chosen from an image with several: the nearest pair, the largest of each, or an error. */
export const FacePolicy = oneOf(["best_pair", "largest", "single_only"]);
export type FacePolicy = z.infer<typeof FacePolicy>;

/** POST /verify */
export const VerifyRequest = body(
  { img1_path: "img1", img2_path: "img2" },
  {
    img1: ImageOrVector,
    img2: ImageOrVector,
    ...detectionFields,
    ...distanceFields,
    face_policy: FacePolicy.default("best_pair").describe(
      "With several faces in an image: the nearest pair, the largest of each, or a refusal.",
    ),
  },
);
export type VerifyRequest = z.infer<typeof VerifyRequest>;

export const VerifyReply = z.object({
  verified: z.boolean(),
  distance: z
    .number()
    .nonnegative()
    .describe("Rounded to 6 decimals before it was held against the threshold."),
  threshold: z.number().nonnegative(),
  model: z.string(),
  detector_backend: z.string(),
  similarity_metric: DistanceMetric,
  facial_areas: z
    .object({ img1: FacialArea.nullable(), img2: FacialArea.nullable() })
    .describe("Null where a vector came in place of the image."),
  faces_compared: z
    .object({ img1: z.int().positive().nullable(), img2: z.int().positive().nullable() })
    .describe(
      "How many faces of each image were compared. Above 1, `facial_areas` says which of them counted. " +
        "Null where a vector came in place of the image.",
    ),
  ...replyFields,
});
export type VerifyReply = z.infer<typeof VerifyReply>;
