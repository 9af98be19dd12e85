import * as z from "zod";
import { ModelVersion, Precision } from "./model-version.ts";

const share = z.number().min(0).max(1);

export const Rate = z.object({
  value: share.describe("What was measured."),
  low: share.describe("Lower end of the interval."),
  high: share.describe("Upper end of the interval."),
});
export type Rate = z.infer<typeof Rate>;

const interval = "0 to 1, with its 95 % interval over people.";

/** Error rates of pairs with a face in both pictures. */
export const ErrorRates = z.object({
  pairs_same: z.int().positive().describe("Pairs of one person with a face in both pictures."),
  pairs_different: z.int().positive().describe("Pairs of two people with a face in both pictures."),
  auc: Rate.describe(`Area under the ROC curve, ${interval}`),
  fnmr_at_fmr_1_percent: Rate.describe(
    "Share of the pairs of one person that do not match at the threshold where 1 % of the pairs of two people " +
      `do, ${interval}`,
  ),
  fnmr: Rate.describe(
    "False non-match rate: the share of the pairs of one person that do not match at the default threshold " +
      `of the cosine distance, ${interval}`,
  ),
  fmr: Rate.describe(
    "False match rate: the share of the pairs of two people that match at the default threshold of the " +
      `cosine distance, ${interval}`,
  ),
});
export type ErrorRates = z.infer<typeof ErrorRates>;

/** Error rates that were measured for a model, and what is known of its weaknesses. */
export const ModelCard = z.object({
  measured_on: z.iso.date().describe("Day of the measurement."),
  measured_by: z.string().min(1).describe("Who measured."),
  lane: z.string().min(1).describe("Model and detector that ran."),
  model_version: ModelVersion.describe("`model_version` of the model that ran."),
  precision: Precision.describe("Number format of the model's computation."),
  processor: z.string().min(1).describe("The processor of the measurement."),
  cpu_ms_per_face: z
    .number()
    .positive()
    .describe("CPU time of a decoded image with one face, in milliseconds: detection, alignment, embedding."),
  memory_mib: z.int().positive().describe("Memory of a process that has only this lane loaded, in MiB."),
  sets: z
    .array(
      z.object({
        name: z.string().min(1).describe("Its name in `conditions`."),
        source: z.string().min(1).describe("What the images are, and where they are from."),
        images: z.int().positive().describe("Images in the set."),
        people: z.int().positive().describe("People in the images."),
      }),
    )
    .describe("The labelled images that were compared."),
  conditions: z
    .array(
      z.object({
        set: z.string().min(1).describe("The `name` of one of `sets`."),
        condition: z
          .string()
          .min(1)
          .describe("`as it is`, or what was done to one image of each pair, such as `mask`."),
        images: z.int().positive().describe("Images that were searched for a face in this condition."),
        not_enrolled: z
          .int()
          .nonnegative()
          .describe("Images of these without a face. Their pairs are not in the rates."),
        rates: ErrorRates.nullable().describe(
          "Null in /capabilities for a detector, which is to be judged by the images without a face; and where no " +
            "two images of one person, or none of two people, have a face.",
        ),
      }),
    )
    .describe("Error rates, for each set of images and condition."),
  weaknesses: z
    .array(
      z.object({
        text: z.string().min(1).describe("What is reported, as a sentence."),
        source: z.string().min(1).describe("Where it is reported, or how it was seen."),
      }),
    )
    .describe("Known weaknesses."),
});
export type ModelCard = z.infer<typeof ModelCard>;
