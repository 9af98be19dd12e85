/**
 * Sums over clusters of pairs, the pairs of each person, from which the variance of an error rate follows at
 * every step of the distance. Clusters are added and not kept: each step has three numbers.
 */
export class ClusterSums {
  /** Pairs that are not above each step, after `finish`. */
  readonly upTo: Float64Array;
  readonly #squares: Float64Array;
  readonly #weighted: Float64Array;
  readonly #clustersPerPair: 1 | 2;
  #clusters = 0;
  #size = 0;
  #sizeSquares = 0;

  /** A pair of one person is in one cluster, a pair of two people in two. */
  constructor(steps: number, clustersPerPair: 1 | 2) {
    this.upTo = new Float64Array(steps);
    this.#squares = new Float64Array(steps);
    this.#weighted = new Float64Array(steps);
    this.#clustersPerPair = clustersPerPair;
  }

  /** `size`: how many pairs the cluster has, with those that have no distance. */
  add(pairs: StepCounter, size: number): void {
    let before = 0;
    pairs.forEach((step, count) => {
      this.upTo[step]! += count / this.#clustersPerPair;
      // Sums up to the square of all pairs that are not above the step.
      this.#squares[step]! += count * (2 * before + count);
      this.#weighted[step]! += count * size;
      before += count;
    });
    if (size > 0) this.#clusters++;
    this.#size += size;
    this.#sizeSquares += size * size;
  }

  finish(): this {
    for (const sums of [this.upTo, this.#squares, this.#weighted]) {
      for (let step = 1; step < sums.length; step++) sums[step]! += sums[step - 1]!;
    }
    return this;
  }

  /** Pairs, with those that have no distance. */
  get pairs(): number {
    return this.#size / this.#clustersPerPair;
  }

  /** Clusters that have pairs. */
  get clusters(): number {
    return this.#clusters;
  }

  /** Number of clusters of equal sizes that would tell as much (Kish's effective sample size). */
  get effectiveClusters(): number {
    return this.#size === 0 ? 0 : this.#size ** 2 / this.#sizeSquares;
  }

  /**
   * The variance of the share of pairs that are not above a step: the infinitesimal jackknife over people,
   * which is not too small on average (Efron and Stein, 1981).
   */
  variance(step: number): number {
    const rate = this.upTo[step]! / this.pairs;
    const residualSquares =
      this.#squares[step]! - 2 * rate * this.#weighted[step]! + rate * rate * this.#sizeSquares;
    return residualSquares / this.pairs ** 2;
  }
}

/** Counts pairs by step. */
export class StepCounter {
  readonly #counts: Uint32Array;
  #least: number;
  #most = -1;

  constructor(steps: number) {
    this.#counts = new Uint32Array(steps);
    this.#least = steps;
  }

  count(step: number): void {
    this.#counts[step]!++;
    if (step < this.#least) this.#least = step;
    if (step > this.#most) this.#most = step;
  }

  /** Visits the steps that have pairs, in ascending order. */
  forEach(visit: (step: number, count: number) => void): void {
    for (let step = this.#least; step <= this.#most; step++) {
      const count = this.#counts[step]!;
      if (count > 0) visit(step, count);
    }
  }

  clear(): void {
    this.#counts.fill(0, this.#least, this.#most + 1);
    this.#least = this.#counts.length;
    this.#most = -1;
  }
}
