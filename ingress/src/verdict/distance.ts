import type { DistanceMetric } from "@faceline/contracts/detection";

/**
 * How far apart two vectors of the same length are, in float64, rounded to 6 decimals: the number that is shown is the
 * number that is held against the threshold, so an answer never contradicts itself.
 *
 * A vector of zeros has no direction: its cosine distance is 1 from everything, itself included, and normalised it
 * stays zero, so `euclidean_l2` puts it 1 away from every other vector. Always finite, however large the numbers are:
 * JSON would show anything else as null.
 */
export function distance(metric: DistanceMetric, a: Numbers, b: Numbers): number {
  switch (metric) {
    case "cosine":
      return rounded(cosine(a, b));
    case "euclidean":
      return rounded(euclidean(a, b));
    case "euclidean_l2":
      return rounded(euclidean(direction(a), direction(b)));
  }
}

/** The vector at length 1; zeros stay zeros. Scaled first, or the squares of very large and very small numbers are lost. */
export function direction(vector: Numbers): Float64Array {
  const unit = new Float64Array(vector.length);
  const greatest = greatestOf(vector);
  if (greatest === 0) return unit;

  let squares = 0;
  for (let i = 0; i < vector.length; i++) {
    unit[i] = vector[i]! / greatest;
    squares += unit[i]! * unit[i]!;
  }
  const length = Math.sqrt(squares);
  for (let i = 0; i < unit.length; i++) unit[i]! /= length;
  return unit;
}

function cosine(a: Numbers, b: Numbers): number {
  const [one, other] = [direction(a), direction(b)];
  let similarity = 0;
  for (let i = 0; i < one.length; i++) similarity += one[i]! * other[i]!;
  return 1 - similarity;
}

function euclidean(a: Numbers, b: Numbers): number {
  let squares = 0;
  for (let i = 0; i < a.length; i++) squares += (a[i]! - b[i]!) ** 2;
  if (Number.isFinite(squares)) return Math.sqrt(squares);

  // The squares were too large for a number; the distance itself may not be.
  const greatest = Math.max(greatestOf(a), greatestOf(b));
  squares = 0;
  for (let i = 0; i < a.length; i++) squares += (a[i]! / greatest - b[i]! / greatest) ** 2;
  return Math.min(greatest * Math.sqrt(squares), Number.MAX_VALUE);
}

function greatestOf(vector: Numbers): number {
  let greatest = 0;
  for (let i = 0; i < vector.length; i++) greatest = Math.max(greatest, Math.abs(vector[i]!));
  return greatest;
}

/** Not below zero: for parallel vectors the last bit of `cosine` may fall to the other side. */
const rounded = (value: number): number => Number(Math.max(0, value).toFixed(6));

/** A vector as it came in JSON, or an embedding. */
export type Numbers = ArrayLike<number>;
