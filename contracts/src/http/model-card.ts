import * as z from "zod";
import { ModelVersion, Precision } from "./model-version.ts";

const share = z.number().min(0).max(1);

export const Rate = z.object({
  value: share.describe("Measured value."),
  low: share.describe("Lower bound of the interval."),
  high: share.describe("Upper bound of the interval."),
});
export type Rate = z.infer<typeof Rate>;

const interval = "from 0 to 1, with a 95% interval over people.";

const fnmrAtFmr = (percent: string) =>
  Rate.describe(`False non-match rate at the threshold with a false match rate of ${percent}%, ${interval}`);

/** Error rates of pairs with a face in both images. */
export const ErrorRates = z.object({
  pairs_same: z
    .int()
    .positive()
    .describe("Number of image pairs that show the same person, with a face in both images."),
  pairs_different: z
    .int()
    .positive()
    .describe("Number of image pairs that show different people, with a face in both images."),
  fnmr_at_fmr_1_percent: fnmrAtFmr("1"),
  fnmr_at_fmr_0_1_percent: fnmrAtFmr("0.1"),
  fnmr: Rate.describe(
    "False non-match rate: the share of pairs of the same person that do not match at the default " +
      "cosine threshold, " +
      interval,
  ),
  fmr: Rate.describe(
    `False match rate: the share of pairs of different people that match at the default cosine threshold, ${interval}`,
  ),
});
export type ErrorRates = z.infer<typeof ErrorRates>;

/** Error rates that were measured for a model, and what is known of its weaknesses. */
export const ModelCard = z.object({
  measured_on: z.iso.date().describe("Date of the measurement."),
  measured_by: z.string().min(1).describe("Who made the measurement."),
  lane: z.string().min(1).describe("The model and detector that were measured."),
  model_version: ModelVersion.describe("`model_version` of the model."),
  precision: Precision.describe("Number format of the computation."),
  processor: z.string().min(1).describe("The processor that the measurement ran on."),
  cpu_ms_per_face: z
    .number()
    .positive()
    .describe(
      "CPU time for detection, alignment and embedding of one face in a decoded image, in milliseconds.",
    ),
  memory_mib: z.int().positive().describe("Memory of a process with only this lane loaded, in MiB."),
  sets: z
    .array(
      z.object({
        name: z.string().min(1).describe("Name of the set, as used in `conditions`."),
        source: z.string().min(1).describe("Content and origin of the images."),
        images: z.int().positive().describe("Number of images."),
        people: z.int().positive().describe("Number of people."),
      }),
    )
    .describe("Sets of labelled images."),
  conditions: z
    .array(
      z.object({
        set: z.string().min(1).describe("`name` of the set."),
        condition: z
          .string()
          .min(1)
          .describe("`as it is`, or the change that was made to one image of each pair, such as `mask`."),
        images: z.int().positive().describe("Number of images under this condition."),
        not_enrolled: z
          .int()
          .nonnegative()
          .describe(
            "Number of images in which no face was found. The rates exclude pairs with such an image.",
          ),
        rates: ErrorRates.nullable().describe(
          "Error rates. Null for detectors, which are measured by `not_enrolled`, and if there are too few pairs with faces.",
        ),
      }),
    )
    .describe("Error rates per set and condition."),
  weaknesses: z
    .array(
      z.object({
        text: z.string().min(1).describe("The weakness as a sentence."),
        source: z.string().min(1).describe("Reference or observation."),
      }),
    )
    .describe("Known weaknesses."),
});
export type ModelCard = z.infer<typeof ModelCard>;
