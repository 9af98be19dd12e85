import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import type { Enrolment } from "../statistics/all-pairs.ts";

/**
 * Made embeddings of made people, whose true error rates are known. Each person has a centre, and each of
 * five images lies around it; a tenth of the people is photographed badly, with more noise. An image fails
 * to enrol with a chance of 2%. All coordinates are normal, so squared Euclidean distances have chi-squared
 * distributions.
 */
export function madePeople(count: number, seed: number): Enrolment {
  const random = mulberry32(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const vectors: number[] = [];
  const starts = [0];
  const failed: number[] = [];
  for (let person = 0; person < count; person++) {
    const noise = random() < badShare ? badNoise : noiseOfMost;
    const centre = Array.from({ length: size }, normal);
    let failures = 0;
    for (let image = 0; image < imagesEach; image++) {
      if (random() < failureRate) failures++;
      else vectors.push(...centre.map((each) => each + noise * normal()));
    }
    failed.push(failures);
    starts.push(vectors.length / size);
  }
  return {
    size,
    vectors: Float32Array.from(vectors),
    starts: Int32Array.from(starts),
    failed: Int32Array.from(failed),
  };
}

/** The largest distance that is counted apart from others. */
export const madeDistanceMax = 20;

/** The false match rate of a Euclidean threshold, over all people that there could be. */
export function trueFmr(threshold: number): number {
  const [good, bad] = [1 - badShare, badShare];
  return (
    good * good * shareWithin(threshold, 2 + 2 * noiseOfMost ** 2) +
    2 * good * bad * shareWithin(threshold, 2 + noiseOfMost ** 2 + badNoise ** 2) +
    bad * bad * shareWithin(threshold, 2 + 2 * badNoise ** 2)
  );
}

/** The false non-match rate, where an image that failed to enrol does not match. */
export function trueFnmr(threshold: number): number {
  const matches =
    (1 - badShare) * shareWithin(threshold, 2 * noiseOfMost ** 2) +
    badShare * shareWithin(threshold, 2 * badNoise ** 2);
  return 1 - (1 - failureRate) ** 2 * matches;
}

/** The threshold with a true false match rate, by bisection. */
export function trueThreshold(fmr: number): number {
  let [low, high] = [0, madeDistanceMax];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (trueFmr(middle) < fmr) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The share of normal vectors with this variance of each coordinate that are not longer than `length`. */
function shareWithin(length: number, variance: number): number {
  const half = length ** 2 / variance / 2;
  // The chi-squared distribution with an even number of degrees of freedom, by the Poisson distribution.
  let [term, sum] = [Math.exp(-half), 0];
  for (let k = 0; k < size / 2; k++) {
    sum += term;
    term *= half / (k + 1);
  }
  return 1 - sum;
}

const size = 16;
const imagesEach = 5;
const noiseOfMost = 0.3;
const badNoise = 0.5;
const badShare = 0.1;
const failureRate = 0.02;
