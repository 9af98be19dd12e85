import type { Face } from "@faceline/contracts/wire/face";
import type { Pixels } from "@faceline/inference/geometry/pixels";

// Covers are drawn in units of the distance between the pupils: u to the right and v down from the point
// between them, turned as the eyes are. They are drawings: real masks and glasses have folds, shadows and
// reflections.

/** A surgical mask from the nose to the chin. */
export function withMask(image: Pixels, face: Face["area"]): Pixels {
  return painted(image, face, {
    colour: [110, 160, 200],
    covers: (u, v) => v > 0.38 + 0.16 * Math.abs(u) && v < 2 && Math.abs(u) < maskHalfWidth(v),
  });
}

/** Two dark lenses with a bridge and temples. */
export function withGlasses(image: Pixels, face: Face["area"]): Pixels {
  return painted(image, face, {
    colour: [15, 15, 15],
    covers: (u, v) =>
      ((Math.abs(u) - 0.5) / 0.43) ** 2 + ((v - 0.05) / 0.33) ** 2 < 1 ||
      (Math.abs(u) < 1.15 && Math.abs(v + 0.05) < 0.04),
  });
}

/** Straight down the cheeks, then round below the mouth. */
function maskHalfWidth(v: number): number {
  const widest = 1.05;
  return v < 1.2 ? widest : widest * Math.sqrt(Math.max(0, 1 - ((v - 1.2) / 0.8) ** 2));
}

function painted(image: Pixels, { left_eye, right_eye }: Face["area"], cover: Cover): Pixels {
  if (!left_eye || !right_eye) throw new Error("a face without eyes cannot be covered");
  const pixels = Uint8Array.from(image.pixels);
  // The person's own right eye is on the left of the image.
  const [dx, dy] = [left_eye[0] - right_eye[0], left_eye[1] - right_eye[1]];
  const [x, y] = [(left_eye[0] + right_eye[0]) / 2, (left_eye[1] + right_eye[1]) / 2];
  const squared = dx * dx + dy * dy;
  for (let row = 0; row < image.height; row++) {
    for (let column = 0; column < image.width; column++) {
      const [right, down] = [column - x, row - y];
      if (!cover.covers((right * dx + down * dy) / squared, (down * dx - right * dy) / squared)) continue;
      pixels.set(cover.colour, 3 * (row * image.width + column));
    }
  }
  return { ...image, pixels };
}

type Cover = { colour: readonly [number, number, number]; covers: (u: number, v: number) => boolean };
