import { type Box, boxArea, iou } from "../geometry/box.ts";

/**
 * Greedy non-max suppression (NMS) over the anchors of a detector: the detection with the best score is kept
 * first, and every other one that overlaps a kept one by more than `iouMax` is dropped. Returns at most 100,
 * best score first, in the unit square of the detector's window. Equal scores keep the order of their
 * anchors. Throws if a score, or the box of a candidate, is not finite: that is neither a face nor the lack
 * of one.
 */
export function nonMaxSuppression(
  { boxes, scores }: Anchors,
  { scoreMin, iouMax }: SuppressionLimits,
): Detection[] {
  const candidates: Detection[] = [];
  for (let i = 0; i < scores.length; i++) {
    if (scores[i]! <= scoreMin) continue;
    const numbers = [scores[i]!, ...boxes.subarray(4 * i, 4 * i + 4)];
    if (!numbers.every(Number.isFinite)) throw new Error("the detector gave a number that is not finite");
    const [top, left, bottom, right] = [
      boxes[4 * i]!,
      boxes[4 * i + 1]!,
      boxes[4 * i + 2]!,
      boxes[4 * i + 3]!,
    ];
    candidates.push({ left, top, right, bottom, score: scores[i]! });
  }
  candidates.sort((a, b) => b.score - a.score);

  const kept: Detection[] = [];
  for (const candidate of candidates) {
    if (kept.length === detectionsMax) break;
    if (kept.every((better) => iou(better, candidate) <= iouMax)) kept.push(candidate);
  }
  return kept;
}

/**
 * Sorts the largest first; equal ones by score, then from left to right, then from top to bottom, so that the
 * order is always the same.
 */
export function compareBySize(a: Detection, b: Detection): number {
  return boxArea(b) - boxArea(a) || b.score - a.score || a.left - b.left || a.top - b.top;
}

/** The API promises at most this many faces of one image. */
const detectionsMax = 100;

/** A box that a detector takes for a face, with its score from 0 to 1. */
export type Detection = Box & { score: number };

export type SuppressionLimits = {
  /** Anchors with this score or less are ignored. */
  scoreMin: number;
  /** Two boxes with a greater IoU count as one face. */
  iouMax: number;
};

/** Output of a detector: rows of [top, left, bottom, right], and one score a row. */
type Anchors = { boxes: Float32Array; scores: Float32Array };
