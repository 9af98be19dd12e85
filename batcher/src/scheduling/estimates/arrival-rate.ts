/** How fast tasks arrive in a lane, and how much time they have. */
export class ArrivalRate {
  /** Exponentially weighted arrivals per ms, over a short and a long window. */
  #short = 0;
  #long = 0;
  #updatedAt = 0;
  #timeBudgetMs = 0;

  /** Counts tasks that arrive now; `timeBudgetMs` is the time to their deadline. */
  add(count: number, timeBudgetMs: number, now: number): void {
    this.#decay(now);
    this.#short += count / shortWindowMs;
    this.#long += count / longWindowMs;
    this.#timeBudgetMs +=
      this.#timeBudgetMs === 0 ? timeBudgetMs : 0.02 * (timeBudgetMs - this.#timeBudgetMs);
  }

  /** Tasks per ms. The larger of both windows: a burst counts at once, and its end only after a while. */
  perMs(now: number): number {
    const elapsedMs = Math.max(0, now - this.#updatedAt);
    const decayed = (rate: number, windowMs: number) => rate * Math.exp(-elapsedMs / windowMs);
    return Math.max(decayed(this.#short, shortWindowMs), decayed(this.#long, longWindowMs));
  }

  /** The usual time from a task's arrival here to its deadline, in ms; 0 before the first task. */
  get timeBudgetMs(): number {
    return this.#timeBudgetMs;
  }

  #decay(now: number): void {
    const elapsedMs = Math.max(0, now - this.#updatedAt);
    this.#short *= Math.exp(-elapsedMs / shortWindowMs);
    this.#long *= Math.exp(-elapsedMs / longWindowMs);
    this.#updatedAt = Math.max(this.#updatedAt, now);
  }
}

const shortWindowMs = 200;
const longWindowMs = 2_000;
