import { type Box, iou } from "../geometry/box.ts";

/**
 * Compares the outputs of a detector or an embedding model in int8 with those in float, on the same image.
 * `threshold` is the embedding model's, euclidean. Returns a clause that describes the deviation, or
 * undefined if it is within bounds. The bounds for detectors are a multiple of what a CPU with exact int8
 * arithmetic shows.
 */
export function int8Deviation(float: Outputs, int8: Outputs, threshold?: number): string | undefined {
  return threshold === undefined
    ? detectionDeviation(float, int8)
    : embeddingDeviation(float, int8, threshold);
}

function detectionDeviation(float: Outputs, int8: Outputs): string | undefined {
  // A face in int8 that is none in float is as wrong as the reverse.
  for (const anchor of [bestAnchor(float), bestAnchor(int8)]) {
    const [a, b] = [detectionAt(float, anchor), detectionAt(int8, anchor)];
    const difference = Math.abs(a.logit - b.logit);
    if (!(difference <= logitDeviationMax)) return `a score is ${difference.toFixed(1)} off, as a logit`;
    const overlap = iou(a.box, b.box);
    if (!(overlap >= boxIouMin)) return `a box has an IoU of only ${overlap.toFixed(2)}`;
  }
  return undefined;
}

function embeddingDeviation(float: Outputs, int8: Outputs, threshold: number): string | undefined {
  const [a, b] = [float.get("embedding")!, int8.get("embedding")!];
  const share = Math.hypot(...a.map((number, i) => number - b[i]!)) / threshold;
  return share <= embeddingDeviationMax
    ? undefined
    : `its embedding is ${share.toFixed(2)} of the threshold off`;
}

/** Exact arithmetic is 0.03 to 0.42 off. A sure face, from 0.8, is still found (0.5) at this distance. */
const logitDeviationMax = 1;
const boxIouMin = 0.85;
/** Share of the threshold: an error that is small compared with what tells two people apart. */
const embeddingDeviationMax = 0.15;

/** The anchor with the best score; the first of equal ones. */
function bestAnchor(outputs: Outputs): number {
  return outputs.get("scores")!.reduce((best, score, i, all) => (score > all[best]! ? i : best), 0);
}

function detectionAt(outputs: Outputs, anchor: number): { logit: number; box: Box } {
  const score = outputs.get("scores")![anchor]!;
  // In float32 a sure score is 1, whose logit is infinite: two of them would have no difference that is a
  // number.
  const clamped = Math.min(1 - scoreMargin, Math.max(scoreMargin, score));
  const [top = 0, left = 0, bottom = 0, right = 0] = outputs
    .get("boxes")!
    .subarray(4 * anchor, 4 * anchor + 4);
  return { logit: Math.log(clamped / (1 - clamped)), box: { left, top, right, bottom } };
}

const scoreMargin = 1e-6;

/** Outputs by the pipeline's name: `boxes` and `scores`, or `embedding`. */
export type Outputs = ReadonlyMap<string, Float32Array>;
