import * as z from "zod";
import { FacialArea } from "./facial-area.ts";
import { ImageOrVector } from "./image.ts";
import { qualityField, qualityIssuesField } from "./quality.ts";

/** Most references of one person: false match rates are measured up to this many. */
export const referencesMax = 5;

/** Whether a value is a list of references, and not a vector. */
export const isReferences = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && typeof value[0] !== "number";

const rule = `must be an image, an embedding, or a list of 1 to ${referencesMax} of them`;

/** An image or a vector, or several of one person. */
export const References = z.union(
  [
    ImageOrVector,
    z
      .array(ImageOrVector, rule)
      .min(1, rule)
      .max(referencesMax, rule)
      .describe("Several images or embeddings of one person, whose embeddings are averaged."),
  ],
  rule,
);

/** One of several references in a response. */
export const ReferenceFace = z.object({
  facial_area: FacialArea.nullable().describe("The face in this reference, or null for an embedding."),
  quality: qualityField,
  quality_issues: qualityIssuesField,
});
