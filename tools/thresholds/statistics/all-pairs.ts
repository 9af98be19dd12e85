import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { ClusterSums, StepCounter } from "./cluster-sums.ts";
import { DistanceSteps } from "./distance-histogram.ts";

/**
 * Compares every two images of people. Memory holds the embeddings and some numbers of each step of the
 * distance, whatever the number of pairs. Two people are compared twice, once for each of them, so that all
 * pairs of a person come together.
 */
export function compareAll(people: Enrolment, { distancesMax, progress }: CompareOptions): AllPairs {
  const { starts, failed } = people;
  const images = starts.at(-1)!;
  const metrics: AllPairs = {
    cosine: new PairCounts(distancesMax.cosine),
    euclidean: new PairCounts(distancesMax.euclidean),
    euclidean_l2: new PairCounts(distancesMax.euclidean_l2),
  };
  const all = Object.values(metrics);
  const norms = normsOf(people);
  const compare = (one: number, from: number, to: number) =>
    compareImage(people, { norms, metrics, one, from, to });
  for (const [person, failures] of failed.entries()) {
    const [from, to] = [starts[person]!, starts[person + 1]!];
    const own = to - from;
    for (let one = from; one < to; one++) compare(one, one + 1, to);
    for (const each of all) each.endSame(pairsOf(own), pairsOf(own + failures));
    for (let one = from; one < to; one++) {
      compare(one, 0, from);
      compare(one, to, images);
    }
    for (const each of all) each.endDifferent(own * (images - own));
    progress(person + 1, failed.length);
  }
  for (const each of all) each.finish();
  return metrics;
}

/** Counts the distances of one image to a range of others. The hot loop. */
function compareImage(
  { vectors, size }: Enrolment,
  { norms, metrics: { cosine, euclidean, euclidean_l2 }, one, from, to }: ImageOptions,
): void {
  const start = one * size;
  const end = start + size;
  const norm = norms[one]!;
  for (let other = from; other < to; other++) {
    const offset = (other - one) * size;
    let product = 0;
    let i = start;
    // Products of four numbers do not wait for each other.
    for (; i + 3 < end; i += 4) {
      product +=
        vectors[i]! * vectors[i + offset]! +
        vectors[i + 1]! * vectors[i + 1 + offset]! +
        vectors[i + 2]! * vectors[i + 2 + offset]! +
        vectors[i + 3]! * vectors[i + 3 + offset]!;
    }
    for (; i < end; i++) product += vectors[i]! * vectors[i + offset]!;
    const otherNorm = norms[other]!;
    const distance = Math.max(0, 1 - product / (norm * otherNorm));
    cosine.count(distance);
    euclidean.count(Math.sqrt(Math.max(0, norm * norm + otherNorm * otherNorm - 2 * product)));
    euclidean_l2.count(Math.sqrt(2 * distance));
  }
}

function normsOf({ vectors, size, starts }: Enrolment): Float64Array {
  return Float64Array.from({ length: starts.at(-1)! }, (_, image) => {
    const vector = vectors.subarray(image * size, (image + 1) * size);
    return Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0));
  });
}

/** Counts the distances of all pairs by one metric. */
export class PairCounts {
  readonly steps: DistanceSteps;
  /** Pairs of images with a face. */
  readonly same: ClusterSums;
  /** Pairs of all images: those without a face match none. */
  readonly sameWithFailures: ClusterSums;
  readonly different: ClusterSums;
  readonly #latest: StepCounter;

  constructor(distanceMax: number) {
    this.steps = new DistanceSteps(distanceMax);
    const { count } = this.steps;
    this.same = new ClusterSums(count, 1);
    this.sameWithFailures = new ClusterSums(count, 1);
    this.different = new ClusterSums(count, 2);
    this.#latest = new StepCounter(count);
  }

  count(distance: number): void {
    this.#latest.count(this.steps.stepOf(distance));
  }

  /** Ends the pairs of one person: all that were counted since the last end. */
  endSame(pairs: number, pairsWithFailures: number): void {
    this.same.add(this.#latest, pairs);
    this.sameWithFailures.add(this.#latest, pairsWithFailures);
    this.#latest.clear();
  }

  /** Ends the pairs of one person with all others. */
  endDifferent(pairs: number): void {
    this.different.add(this.#latest, pairs);
    this.#latest.clear();
  }

  finish(): void {
    for (const sums of [this.same, this.sameWithFailures, this.different]) sums.finish();
  }
}

/** Returns the number of pairs of this many images. */
export const pairsOf = (images: number): number => (images * (images - 1)) / 2;

/** The embeddings of people, one person after another. */
export type Enrolment = {
  /** Numbers of an embedding. */
  size: number;
  vectors: Float32Array;
  /** Indices where the images of each person begin, and where those of the last end. */
  starts: Int32Array;
  /** Images of each person without an embedding. */
  failed: Int32Array;
};
type CompareOptions = {
  distancesMax: Readonly<Record<DistanceMetric, number>>;
  progress: (done: number, of: number) => void;
};
type ImageOptions = { norms: Float64Array; metrics: AllPairs; one: number; from: number; to: number };
type AllPairs = Record<DistanceMetric, PairCounts>;
