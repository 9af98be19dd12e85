import * as z from "zod";

const Point = z.tuple([z.int(), z.int()]);

/**
 * Bounding box and eyes of a face, in pixels of the upright image (EXIF orientation applied), clipped to the
 * image. Left and right are the person's own. Eyes are null when the whole image was taken as the face.
 */
export const FacialArea = z.object({
  x: z.int().nonnegative(),
  y: z.int().nonnegative(),
  w: z.int().nonnegative(),
  h: z.int().nonnegative(),
  left_eye: Point.nullable(),
  right_eye: Point.nullable(),
});
export type FacialArea = z.infer<typeof FacialArea>;
