import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";

/** The API's distances between embeddings, rounded as the API rounds them. */
export const distances = {
  cosine(a: Float32Array, b: Float32Array): number {
    let product = 0;
    for (let i = 0; i < a.length; i++) product += a[i]! * b[i]!;
    return rounded(1 - product / (Math.hypot(...a) * Math.hypot(...b)));
  },
  euclidean(a: Float32Array, b: Float32Array): number {
    let squares = 0;
    for (let i = 0; i < a.length; i++) squares += (a[i]! - b[i]!) ** 2;
    return rounded(Math.sqrt(squares));
  },
  euclidean_l2(a: Float32Array, b: Float32Array): number {
    const [lengthA, lengthB] = [Math.hypot(...a), Math.hypot(...b)];
    let squares = 0;
    for (let i = 0; i < a.length; i++) squares += (a[i]! / lengthA - b[i]! / lengthB) ** 2;
    return rounded(Math.sqrt(squares));
  },
} satisfies Record<DistanceMetric, (a: Float32Array, b: Float32Array) => number>;

function rounded(value: number): number {
  return Number(Math.max(0, value).toFixed(6));
}
