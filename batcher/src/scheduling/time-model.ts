/**
 * How long a batch takes, learned while serving: `ms = alpha + beta · size`, by least squares in which each new
 * observation weighs more than the one before it. Sizes are what is paid for, so with padding they are bucket sizes.
 */
export class TimeModel {
  #weight = 0;
  #size = 0;
  #sizeSquared = 0;
  #ms = 0;
  #sizeMs = 0;
  /** Exponentially weighted mean of |error|, in ms. */
  #residualMs = 0;

  /** The guesses stand until real batches outweigh them: they are worth `guessWeight` observations together. */
  constructor(guesses: { size: number; ms: number }[]) {
    for (const { size, ms } of guesses) this.#add(size, ms, guessWeight / guesses.length);
  }

  learn(size: number, ms: number): void {
    this.#residualMs =
      residualDecay * this.#residualMs + (1 - residualDecay) * Math.abs(ms - this.meanMs(size));
    this.#weight *= decay;
    this.#size *= decay;
    this.#sizeSquared *= decay;
    this.#ms *= decay;
    this.#sizeMs *= decay;
    this.#add(size, ms, 1);
  }

  /** For staging and capacity. */
  meanMs(size: number): number {
    const { alpha, beta } = this.#line();
    return alpha + beta * size;
  }

  /** For "can it still make it": the mean and three residuals. */
  highMs(size: number): number {
    return this.meanMs(size) + 3 * this.#residualMs;
  }

  /** Neither part is negative: no batch is free, and a larger one is not quicker. */
  #line(): { alpha: number; beta: number } {
    const spread = this.#weight * this.#sizeSquared - this.#size * this.#size;
    const meanSize = this.#size / this.#weight;
    const meanMs = this.#ms / this.#weight;
    // Observations of one size say nothing of the slope: all of it is taken as growing with the size.
    const slope =
      spread > 1e-9 * this.#weight * this.#weight
        ? (this.#weight * this.#sizeMs - this.#size * this.#ms) / spread
        : meanMs / meanSize;
    const beta = Math.min(Math.max(0, slope), meanMs / meanSize);
    return { alpha: meanMs - beta * meanSize, beta };
  }

  #add(size: number, ms: number, weight: number): void {
    this.#weight += weight;
    this.#size += weight * size;
    this.#sizeSquared += weight * size * size;
    this.#ms += weight * ms;
    this.#sizeMs += weight * size * ms;
  }
}

/** Per batch: half of what is known is 23 batches old at most. */
const decay = 0.97;
const residualDecay = 0.95;
const guessWeight = 8;
