import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";

/**
 * How far apart two vectors of the same length are, in float64, rounded to 6 decimals: the number that is shown is the
 * number that is held against the threshold, so an answer never contradicts itself.
 *
 * A vector of zeros has no direction: its cosine distance is 1 from everything, itself included, and normalised it
 * stays zero, so `euclidean_l2` puts it 1 away from every other vector. Always finite, however large the numbers are:
 * JSON would show anything else as null.
 */
export function distance(metric: DistanceMetric, a: Numbers, b: Numbers): number {
  return distanceFrom(metric, a)(b);
}

/**
 * The same, from one vector to many of its length: what is known of the one is worked out once, and each of the many is
 * copied to one place. A list as JSON makes it is slow to walk, and 1,000 new arrays are slow to collect.
 */
export function distanceFrom(metric: DistanceMetric, from: Numbers): (to: Numbers) => number {
  const one = metric === "euclidean" ? new Float64Array(from) : direction(from);
  const other = new Float64Array(one.length);
  return (to) => {
    other.set(to);
    switch (metric) {
      case "cosine":
        return rounded(cosine(one, turned(other)));
      case "euclidean":
        return rounded(euclidean(one, other));
      case "euclidean_l2":
        return rounded(euclidean(one, turned(other)));
    }
  };
}

/** The vector at length 1; zeros stay zeros. */
export const direction = (vector: Numbers): Float64Array => turned(new Float64Array(vector));

/** Makes it so in its place. Scaled first, or the squares of very large and very small numbers are lost. */
function turned(vector: Float64Array): Float64Array {
  const greatest = greatestOf(vector);
  if (greatest === 0) return vector;

  let squares = 0;
  for (let i = 0; i < vector.length; i++) {
    vector[i]! /= greatest;
    squares += vector[i]! * vector[i]!;
  }
  const length = Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i]! /= length;
  return vector;
}

/** Of two directions. */
function cosine(one: Float64Array, other: Float64Array): number {
  let similarity = 0;
  for (let i = 0; i < one.length; i++) similarity += one[i]! * other[i]!;
  return 1 - similarity;
}

function euclidean(a: Float64Array, b: Float64Array): number {
  let squares = 0;
  for (let i = 0; i < a.length; i++) squares += (a[i]! - b[i]!) ** 2;
  if (Number.isFinite(squares)) return Math.sqrt(squares);

  // The squares were too large for a number; the distance itself may not be.
  const greatest = Math.max(greatestOf(a), greatestOf(b));
  squares = 0;
  for (let i = 0; i < a.length; i++) squares += (a[i]! / greatest - b[i]! / greatest) ** 2;
  return Math.min(greatest * Math.sqrt(squares), Number.MAX_VALUE);
}

function greatestOf(vector: Float64Array): number {
  let greatest = 0;
  for (let i = 0; i < vector.length; i++) greatest = Math.max(greatest, Math.abs(vector[i]!));
  return greatest;
}

/** Not below zero: for parallel vectors the last bit of `cosine` may fall to the other side. */
const rounded = (value: number): number => Number(Math.max(0, value).toFixed(6));

/** A vector as it came in JSON, or an embedding. */
export type Numbers = ArrayLike<number>;
