/** How many workers standard tasks leave to best-effort ones, on average over the last seconds. */
export class SpareWorkers {
  #count = 0;
  #mean = 0;
  #updatedAt = Number.NEGATIVE_INFINITY;

  /** Sets the number from now on. */
  set(count: number, now: number): void {
    // The first value counts alone.
    this.#mean = this.#updatedAt === Number.NEGATIVE_INFINITY ? count : this.mean(now);
    this.#count = count;
    this.#updatedAt = now;
  }

  mean(now: number): number {
    const share = 1 - Math.exp(-Math.max(0, now - this.#updatedAt) / windowMs);
    return this.#mean + share * (this.#count - this.#mean);
  }
}

const windowMs = 2_000;
