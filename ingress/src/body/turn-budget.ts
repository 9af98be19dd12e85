/**
 * Spreads work on bodies over turns of the event loop. A burst of calls that all arrive at once would
 * otherwise be parsed in one turn: 1,800 bodies blocked a process for 2 s, in which it read no response of
 * Kafka and took it for unreachable.
 */
export class TurnBudget {
  readonly #bytesMax: number;
  #bytesLeft: number;
  #isRenewalDue = false;
  /** Bounded by the bodies in memory. */
  #waiting: { bytes: number; begin: () => void }[] = [];

  /** `bytesMax`: of bodies parsed in one turn; a larger body has a turn to itself. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#bytesLeft = bytesMax;
  }

  /** Resolves when a body of this size may be parsed, in the order of the calls; at once if few arrive. */
  async enter(bytes: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#bytesLeft > 0) return this.#take(bytes);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ bytes, begin: resolve });
    return promise;
  }

  #take(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#isRenewalDue) return;
    this.#isRenewalDue = true;
    setImmediate(() => this.#renew());
  }

  #renew(): void {
    this.#isRenewalDue = false;
    this.#bytesLeft = this.#bytesMax;
    let begun = 0;
    while (begun < this.#waiting.length && this.#bytesLeft > 0) {
      const { bytes, begin } = this.#waiting[begun++]!;
      this.#take(bytes);
      begin();
    }
    this.#waiting = this.#waiting.slice(begun);
  }
}
