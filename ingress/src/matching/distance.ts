import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";

/**
 * Returns the distance of two vectors of equal length, computed in float64 and rounded to 6 decimals.
 * Responses show the number that was compared with the threshold, so they never contradict themselves.
 *
 * A vector of zeros has no direction. Its cosine distance is 1 from every vector, itself included; normalized
 * it stays zero, so its `euclidean_l2` distance is 1 from every other vector. The result is always finite,
 * however large the numbers are, because JSON would show Infinity and NaN as null.
 */
export function distance(metric: DistanceMetric, a: NumericVector, b: NumericVector): number {
  return distanceFrom(metric, a)(b);
}

/**
 * Returns the distance function from one vector to others of its length. Its own norm is computed once, and
 * each other vector is copied into one buffer: a list as JSON.parse makes it is slow to read, and 1,000 new
 * arrays are slow to free.
 */
export function distanceFrom(metric: DistanceMetric, from: NumericVector): (to: NumericVector) => number {
  const origin = preparedVector(metric, from);
  const target = new Float64Array(origin.length);
  return (to) => {
    target.set(to);
    return preparedDistance(metric, origin, metric === "euclidean" ? target : normalizeInPlace(target));
  };
}

/** Returns the copy of a vector that `preparedDistance` takes. For many pairs, prepare each vector once. */
export const preparedVector = (metric: DistanceMetric, vector: NumericVector): Float64Array =>
  metric === "euclidean" ? new Float64Array(vector) : unitVector(vector);

/** Returns the distance of two vectors that were prepared for the same metric. */
export function preparedDistance(metric: DistanceMetric, a: Float64Array, b: Float64Array): number {
  switch (metric) {
    case "cosine":
      return rounded(cosine(a, b));
    case "euclidean":
    case "euclidean_l2":
      return rounded(euclidean(a, b));
  }
}

/** Returns the vector scaled to length 1; a vector of zeros stays zero. */
export const unitVector = (vector: NumericVector): Float64Array => normalizeInPlace(new Float64Array(vector));

/** Scaled by its largest number first, or the squares of very large and very small numbers would be lost. */
function normalizeInPlace(vector: Float64Array): Float64Array {
  const scale = maxMagnitude(vector);
  if (scale === 0) return vector;

  let squares = 0;
  for (let i = 0; i < vector.length; i++) {
    vector[i]! /= scale;
    squares += vector[i]! * vector[i]!;
  }
  const length = Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i]! /= length;
  return vector;
}

/** Cosine distance of two unit vectors. */
function cosine(a: Float64Array, b: Float64Array): number {
  let similarity = 0;
  for (let i = 0; i < a.length; i++) similarity += a[i]! * b[i]!;
  return 1 - similarity;
}

function euclidean(a: Float64Array, b: Float64Array): number {
  let squares = 0;
  for (let i = 0; i < a.length; i++) squares += (a[i]! - b[i]!) ** 2;
  if (Number.isFinite(squares)) return Math.sqrt(squares);

  // The squares exceed float64; the distance itself may not.
  const scale = Math.max(maxMagnitude(a), maxMagnitude(b));
  squares = 0;
  for (let i = 0; i < a.length; i++) squares += (a[i]! / scale - b[i]! / scale) ** 2;
  return Math.min(scale * Math.sqrt(squares), Number.MAX_VALUE);
}

function maxMagnitude(vector: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i]!));
  return largest;
}

/**
 * Rounds to 6 decimals, never below zero: the last bit of `cosine` may be negative for parallel vectors. The
 * string of `toFixed` would take a tenth of a comparison. Beyond 1e9 the product might overflow.
 */
const rounded = (value: number): number => (value < 1e9 ? Math.round(Math.max(0, value) * 1e6) / 1e6 : value);

/** A vector from JSON, or an embedding. */
export type NumericVector = ArrayLike<number>;
