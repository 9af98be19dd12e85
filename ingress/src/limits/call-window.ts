/**
 * How many calls of one team may be in progress at a time, once the batcher has refused one of them because
 * too many wait: additive increase, multiplicative decrease (Chiu and Jain, "Analysis of the increase and
 * decrease algorithms for congestion avoidance in computer networks", 1989). Without a refusal there is no
 * limit. A refusal halves it, and each call that ends without one raises it by its inverse. Calls above the
 * limit wait in order.
 *
 *     enter ──► [ waiting ] ──► begin ──► in progress ──► leave
 *
 * Refusals that follow from one decision count once: of calls that began before the last decrease nothing
 * new is learned. Holds no timer, socket or clock.
 */
export class CallWindow {
  #size = Number.POSITIVE_INFINITY;
  #inProgress = 0;
  #begun = 0;
  #begunAtDecrease = 0;
  readonly #waiting = new Set<() => void>();

  /** Whether no call is in progress or waits: then the window need not be kept. */
  get isIdle(): boolean {
    return this.#inProgress === 0 && this.#waiting.size === 0;
  }

  /** Runs `begin`, at once or when earlier calls have ended, unless the call leaves before. */
  enter(begin: () => void): WindowPlace {
    let number: number | undefined;
    const start = () => {
      this.#inProgress++;
      number = ++this.#begun;
      begin();
    };
    this.#waiting.add(start);
    this.#beginNext();
    return {
      leave: (isRefused) => {
        if (number === undefined) this.#waiting.delete(start);
        else this.#end(number, isRefused);
      },
    };
  }

  #end(number: number, isRefused: boolean): void {
    if (!isRefused) this.#size += 1 / this.#size;
    else if (number > this.#begunAtDecrease) {
      this.#size = Math.max(1, Math.min(this.#size, this.#inProgress) / 2);
      this.#begunAtDecrease = this.#begun;
    }
    this.#inProgress--;
    this.#beginNext();
  }

  #beginNext(): void {
    for (const start of this.#waiting) {
      if (this.#inProgress + 1 > this.#size) return;
      this.#waiting.delete(start);
      start();
    }
  }
}

type WindowPlace = {
  /** The call has ended. `isRefused`: the batcher refused it because too many wait. To be called once. */
  leave(isRefused: boolean): void;
};
