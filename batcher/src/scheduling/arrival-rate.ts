/** How many tasks arrive in a lane, and how much time they bring. */
export class ArrivalRate {
  /** Exponentially weighted arrivals per ms, over a short and a long while. */
  #fast = 0;
  #slow = 0;
  #at = 0;
  #patienceMs = 0;

  arrive(count: number, patienceMs: number, now: number): void {
    this.#fade(now);
    this.#fast += count / fastMs;
    this.#slow += count / slowMs;
    this.#patienceMs += this.#patienceMs === 0 ? patienceMs : 0.02 * (patienceMs - this.#patienceMs);
  }

  /** Tasks per ms: a burst is believed at once, and its end after a while. */
  perMs(now: number): number {
    this.#fade(now);
    return Math.max(this.#fast, this.#slow);
  }

  /** The usual time from a task's arrival here to its deadline; 0 before the first. */
  get patienceMs(): number {
    return this.#patienceMs;
  }

  #fade(now: number): void {
    const elapsedMs = Math.max(0, now - this.#at);
    this.#fast *= Math.exp(-elapsedMs / fastMs);
    this.#slow *= Math.exp(-elapsedMs / slowMs);
    this.#at = Math.max(this.#at, now);
  }
}

const fastMs = 200;
const slowMs = 2_000;
