import * as z from "zod";
import { License } from "../catalogue-entry.ts";

/**
 * An operator's description of a foreign recogniser: how its .onnx file expects a face, and what it returns.
 * `npm run models -- add` checks the file against it. Fields are in snake_case, as in the catalogue.
 */

const perChannel = z.union([z.number(), z.tuple([z.number(), z.number(), z.number()])]);

export const Contract = z.strictObject({
  role: z.literal("embedding").optional(),
  /** The name in calls and in MODELS or DETECTORS. */
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      "must be up to 64 letters, digits, dots, hyphens and underscores",
    ),
  title: z.string().min(1),
  input: z.strictObject({
    /** Name of the tensor; the only input by default. */
    name: z.string().min(1).optional(),
    type: z.enum(["float32", "uint8"]).default("float32"),
    layout: z.enum(["NCHW", "NHWC"]),
    /** The side of its square images. */
    px: z.int().min(16).max(512),
    colour_order: z.enum(["RGB", "BGR"]),
    /** x = (pixel - mean) * scale, pixels from 0 to 255, in the order of its channels. */
    mean: perChannel,
    scale: perChannel,
  }),
  output: z.strictObject({
    /** Name of the tensor; the only output by default. */
    name: z.string().min(1).optional(),
    /** Numbers in an embedding. */
    length: z.int().min(2).max(4_096),
  }),
  /**
   * Position of a face in the model's images: as in ArcFace's chip (eyes at 46% of the height) or as in
   * dlib's (padding 0.25).
   */
  chip: z.enum(["arcface", "dlib"]),
  /** Cosine distance up to which two faces are one person. The other thresholds follow from it. */
  thresholds: z.strictObject({ cosine: z.number().positive().max(2) }),
  thresholds_from: z.string().min(1),
  licenses: z.array(License).min(1),
  /** The text of the licence: a file, relative to the contract. It is kept beside the model. */
  licence_file: z.string().min(1),
  /** "Not stated." if nobody states it. */
  training_data: z.string().min(1),
  provenance: z.array(z.string().min(1)).default([]),
  /** Who published the file: an address or a sentence. */
  origin: z.string().min(1),
});
export type Contract = z.infer<typeof Contract>;

/** Three numbers, one for each channel. */
export function channels(value: z.infer<typeof perChannel>): readonly [number, number, number] {
  return typeof value === "number" ? [value, value, value] : value;
}
