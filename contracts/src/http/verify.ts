import * as z from "zod";
import { DistanceMetric, detectionFields, distanceAliases, distanceFields } from "./detection-fields.ts";
import { FalseMatchRate } from "./false-match-rate.ts";
import { FacialArea } from "./facial-area.ts";
import { ImageOrVector, imageDescription } from "./image.ts";
import { References, ReferenceFace, referencesMax } from "./references.ts";
import { qualityField, qualityIssuesField } from "./quality.ts";
import { responseFields, thresholdResponseFields } from "./response-fields.ts";
import { body, oneOf } from "./request-body.ts";

/** How faces are chosen from an image with several: the nearest pair, the largest of each, or an error. */
export const FacePolicy = oneOf(["best_pair", "largest", "single_only"]);
export type FacePolicy = z.infer<typeof FacePolicy>;

/** POST /verify */
export const VerifyRequest = body(
  { img1_path: "img1", img2_path: "img2", ...distanceAliases },
  {
    img1: References.describe(
      `The first image, or an embedding from /represent, or a list of up to ${referencesMax} of them that show ` +
        "one person: their embeddings are averaged. Each image of a list must show one face, unless `face_policy` " +
        `is \`largest\`; \`distance_metric\` must not be \`euclidean\`. ${imageDescription}`,
    ),
    img2: ImageOrVector.describe("The second image or embedding."),
    ...detectionFields,
    ...distanceFields,
    face_policy: FacePolicy.default("best_pair").describe(
      "How to choose among several faces. `best_pair`: the pair with the smallest distance. `largest`: the largest face in each image. `single_only`: reject the request (`multiple_faces`).",
    ),
  },
);
export type VerifyRequest = z.infer<typeof VerifyRequest>;

const areaOf = (field: string) =>
  FacialArea.nullable().describe(
    `The compared face in \`${field}\`, or null for an embedding or several references.`,
  );

const countOf = (field: string) =>
  z
    .int()
    .nonnegative()
    .nullable()
    .describe(
      `Number of faces compared in \`${field}\`. 0 if no face was found and the whole image was used; null ` +
        "for an embedding or several references.",
    );

export const VerifyResponse = z.object({
  verified: z
    .boolean()
    .describe(
      "Whether the distance is within the threshold. Always false if an image has no face (`face_found: false`), because the distance is then not between two faces.",
    ),
  distance: z
    .number()
    .nonnegative()
    .describe(
      "Distance between the two faces, measured by `distance_metric` and rounded to 6 decimal places. It is 0 for equal embeddings.",
    ),
  false_match_rate: FalseMatchRate,
  ...thresholdResponseFields,
  model_name: z.string().describe("The model that the embeddings and the default threshold belong to."),
  model: z.string().describe("The same as `model_name`, for clients of DeepFace."),
  detector_backend: z.string().describe("The detector that found the faces."),
  distance_metric: DistanceMetric.describe("The metric of `distance` and `threshold`."),
  similarity_metric: DistanceMetric.describe("The same as `distance_metric`, for clients of DeepFace."),
  facial_areas: z
    .object({ img1: areaOf("img1"), img2: areaOf("img2") })
    .describe("Positions of the two compared faces in their images."),
  faces_compared: z
    .object({ img1: countOf("img1"), img2: countOf("img2") })
    .describe(
      "Number of faces compared in each image. If there are several, `facial_areas` shows the two that decided the result.",
    ),
  quality: z
    .object({ img1: qualityField, img2: qualityField })
    .describe("Image quality of the two compared faces; null for an embedding."),
  quality_issues: z
    .object({ img1: qualityIssuesField, img2: qualityIssuesField })
    .describe("Quality issues of the two compared faces; null for an embedding."),
  references: z
    .array(ReferenceFace)
    .describe(
      "The face in each reference, in the order of `img1`. Empty if `img1` is not a list of several.",
    ),
  ...responseFields,
});
export type VerifyResponse = z.infer<typeof VerifyResponse>;
