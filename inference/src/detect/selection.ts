/**
 * Picks the faces out of what a detector says of all its anchors: the best score first, and no two that overlap.
 * Coordinates are the detector's, in the unit square of its window. Equal scores keep the anchors' order.
 */
export function select({ boxes, scores }: Anchors, { scoreMin, overlapMax }: SelectionLimits): Found[] {
  const likely: Found[] = [];
  for (let i = 0; i < scores.length; i++) {
    if (scores[i]! <= scoreMin) continue;
    const [top, left, bottom, right] = [
      boxes[4 * i]!,
      boxes[4 * i + 1]!,
      boxes[4 * i + 2]!,
      boxes[4 * i + 3]!,
    ];
    likely.push({ left, top, right, bottom, score: scores[i]! });
  }
  likely.sort((a, b) => b.score - a.score);

  const found: Found[] = [];
  for (const box of likely) {
    if (found.length === FACES_MAX) break;
    if (found.every((better) => overlap(better, box) <= overlapMax)) found.push(box);
  }
  return found;
}

/** Intersection over union; 0 for boxes without an area. */
export function overlap(a: Box, b: Box): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (areaOf(a) + areaOf(b) - width * height);
}

/** Undefined: less than a pixel of it lies in the picture. */
export function clip(box: Box, { width, height }: { width: number; height: number }): Box | undefined {
  const left = Math.max(0, box.left);
  const top = Math.max(0, box.top);
  const right = Math.min(width, box.right);
  const bottom = Math.min(height, box.bottom);
  return right - left >= 1 && bottom - top >= 1 ? { left, top, right, bottom } : undefined;
}

/** Largest first. Of equal ones the surer, then the one further left, then the upper: never the detector's whim. */
export function bySize(a: Found, b: Found): number {
  return areaOf(b) - areaOf(a) || b.score - a.score || a.left - b.left || a.top - b.top;
}

export function areaOf({ left, top, right, bottom }: Box): number {
  return (right - left) * (bottom - top);
}

/** The API promises no more faces a picture than these. */
const FACES_MAX = 100;

export type Box = { left: number; top: number; right: number; bottom: number };
export type Found = Box & { score: number };

export type SelectionLimits = {
  /** Boxes that do not score above it are not looked at. */
  scoreMin: number;
  /** Two boxes are the same face above it. */
  overlapMax: number;
};

/** Rows of [top, left, bottom, right], and a score for each. */
export type Anchors = { boxes: Float32Array; scores: Float32Array };
