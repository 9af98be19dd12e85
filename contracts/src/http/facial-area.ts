import * as z from "zod";

const Point = z.tuple([z.int(), z.int()]);

const eye = (side: string) =>
  Point.nullable().describe(
    `The person's ${side} eye, as [x, y] in pixels. Null if no face was found and the whole image was used.`,
  );

/**
 * Bounding box and eyes of a face, in pixels of the upright image (EXIF orientation applied), clipped to the
 * image. Left and right are the person's own. Eyes and detector are null when the whole image was taken as
 * the face.
 */
export const FacialArea = z.object({
  x: z
    .int()
    .nonnegative()
    .describe("Left edge of the bounding box, in pixels of the upright image (EXIF orientation applied)."),
  y: z.int().nonnegative().describe("Top edge of the bounding box, in pixels of the upright image."),
  w: z.int().nonnegative().describe("Width of the bounding box in pixels."),
  h: z.int().nonnegative().describe("Height of the bounding box in pixels."),
  left_eye: eye("left"),
  right_eye: eye("right"),
  detector: z
    .string()
    .nullable()
    .describe(
      "The detector that found the face: with `auto`, `ssd` or `blazeface`. Null if no face was found and the whole image was used.",
    ),
  face_found: z
    .boolean()
    .describe(
      "False if no face was found and the whole image was used (`enforce_detection: false`). Unless you sent a cropped face, the embedding then describes a background.",
    ),
});
export type FacialArea = z.infer<typeof FacialArea>;
