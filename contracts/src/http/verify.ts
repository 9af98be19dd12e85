import * as z from "zod";
import { DistanceMetric, detectionFields, distanceFields } from "./detection-fields.ts";
import { FalseMatchRate } from "./false-match-rate.ts";
import { FacialArea } from "./facial-area.ts";
import { ImageOrVector, imageDescription } from "./image.ts";
import { qualityField, qualityIssuesField } from "./quality.ts";
import { replyFields } from "./reply-fields.ts";
import { body, oneOf } from "./request-body.ts";

/** How faces are chosen from an image with several: the nearest pair, the largest of each, or an error. */
export const FacePolicy = oneOf(["best_pair", "largest", "single_only"]);
export type FacePolicy = z.infer<typeof FacePolicy>;

/** POST /verify */
export const VerifyRequest = body(
  { img1_path: "img1", img2_path: "img2" },
  {
    img1: ImageOrVector.describe(`First image or embedding. ${imageDescription}`),
    img2: ImageOrVector.describe("Second image or embedding, as for `img1`."),
    ...detectionFields,
    ...distanceFields,
    face_policy: FacePolicy.default("best_pair").describe(
      "Which faces are compared if an image has several. `best_pair`: the pair with the smallest distance. " +
        "`largest`: the largest of each image. `single_only`: the call is refused (`multiple_faces`).",
    ),
  },
);
export type VerifyRequest = z.infer<typeof VerifyRequest>;

const areaOf = (field: string) =>
  FacialArea.nullable().describe(
    `The compared face in \`${field}\`. Null where an embedding was sent in place of the image.`,
  );

const countOf = (field: string) =>
  z
    .int()
    .nonnegative()
    .nullable()
    .describe(
      `Count of compared faces in \`${field}\`; 0 where no face was found and the whole image was taken as ` +
        "one. Null where an embedding was sent in place of the image.",
    );

export const VerifyResponse = z.object({
  verified: z
    .boolean()
    .describe(
      "Whether the distance is at most the threshold. Always false where no face was found in one of the " +
        "images (`face_found: false`): then the distance is not one of two faces.",
    ),
  distance: z
    .number()
    .nonnegative()
    .describe(
      "Distance of the two faces by `similarity_metric`; 0 for two equal embeddings. Rounded to 6 decimals " +
        "before it is compared with the threshold.",
    ),
  false_match_rate: FalseMatchRate,
  threshold: z
    .number()
    .nonnegative()
    .describe("The largest distance that counts as verified: that of the request, or the model's own."),
  model: z.string().describe("The model that computed the embeddings, or whose threshold was used."),
  detector_backend: z.string().describe("The detector of the call."),
  similarity_metric: DistanceMetric.describe("The metric of `distance` and `threshold`."),
  facial_areas: z
    .object({ img1: areaOf("img1"), img2: areaOf("img2") })
    .describe("Where the two compared faces are in their images."),
  faces_compared: z
    .object({ img1: countOf("img1"), img2: countOf("img2") })
    .describe(
      "How many faces of each image were compared. Above 1, `facial_areas` says which of them counted.",
    ),
  quality: z
    .object({ img1: qualityField, img2: qualityField })
    .describe("Measurements of the two compared faces; null for an embedding."),
  quality_issues: z
    .object({ img1: qualityIssuesField, img2: qualityIssuesField })
    .describe("Why the two compared faces may not be recognised; null for an embedding."),
  ...replyFields,
});
export type VerifyResponse = z.infer<typeof VerifyResponse>;
