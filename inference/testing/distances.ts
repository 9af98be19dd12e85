/** The API's distances between embeddings, rounded as the API rounds them. tally.test.ts covers them. */
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
};

function rounded(value: number): number {
  return Number(Math.max(0, value).toFixed(6));
}
