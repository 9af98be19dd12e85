/** Area in pixels of an image. */
export type Area = { x: number; y: number; w: number; h: number };

/**
 * Returns where to cut an image around one of its faces: `crop`, with room on each side, `covered`, the other
 * faces that reach into it, and `kept`, the face itself, which is not covered.
 */
export function cropAround(
  faces: Area[],
  face: number,
  image: { width: number; height: number },
): { crop: Area; covered: Area[]; kept: Area } {
  const chosen = faces[face]!;
  const crop = within(grow(chosen, roomShare), image);
  const others = faces.filter((_, index) => index !== face).map((each) => grow(each, coverShare));
  return {
    crop,
    covered: others.filter((each) => overlap(each, crop)),
    kept: within(grow(chosen, coverShare), image),
  };
}

const grow = ({ x, y, w, h }: Area, share: number): Area => ({
  x: x - w * share,
  y: y - h * share,
  w: w * (1 + 2 * share),
  h: h * (1 + 2 * share),
});

function within({ x, y, w, h }: Area, { width, height }: { width: number; height: number }): Area {
  const left = Math.max(0, Math.round(x));
  const top = Math.max(0, Math.round(y));
  return {
    x: left,
    y: top,
    w: Math.max(1, Math.min(width, Math.round(x + w)) - left),
    h: Math.max(1, Math.min(height, Math.round(y + h)) - top),
  };
}

const overlap = (one: Area, other: Area): boolean =>
  one.x < other.x + other.w &&
  other.x < one.x + one.w &&
  one.y < other.y + other.h &&
  other.y < one.y + one.h;

/** Share of the face's size on each side, for the detector. */
const roomShare = 0.6;
/** Boxes end at the chin and the brow: what is left of a face would be found again. */
const coverShare = 0.1;
