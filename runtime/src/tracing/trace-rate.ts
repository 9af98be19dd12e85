/**
 * Limits how many new traces begin in a second: a token bucket that holds the tokens of one second. Decides,
 * and reads no clock.
 */
export class TraceRate {
  readonly #perSecond: number;
  #tokens: number;
  #countedAt: number | undefined;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#tokens = perSecond;
  }

  /** Returns whether a trace may begin, and counts it if so. `now`: ms of a clock that does not go back. */
  take(now: number): boolean {
    const passedMs = now - (this.#countedAt ?? now);
    this.#countedAt = now;
    this.#tokens = Math.min(this.#perSecond, this.#tokens + (passedMs * this.#perSecond) / 1_000);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
