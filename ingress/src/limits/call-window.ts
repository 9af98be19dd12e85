/**
 * How many calls of one team may be in progress at a time, once the batcher has refused one of them because
 * too many wait: additive increase, multiplicative decrease (Chiu and Jain, "Analysis of the increase and
 * decrease algorithms for congestion avoidance in computer networks", 1989). Without a refusal there is no
 * limit. A refusal halves the number of calls whose bodies are complete, because only those are with the
 * batcher, and each call that ends without one raises the limit by its inverse. Calls above the limit wait in
 * order, also in the middle of their bodies.
 *
 *     enter ──► waiting ◄──► reading ──► complete ──► left
 *
 * Refusals that follow from one decision count once: of calls that were complete before the last decrease
 * nothing new is learned. Holds no timer, socket or clock.
 */
export class CallWindow {
  #size = Number.POSITIVE_INFINITY;
  #completed = 0;
  #completedAtDecrease = 0;
  /** Requests in order of arrival. */
  readonly #calls = new Set<Call>();

  /** Whether there is no call: then the window need not be kept. */
  get isIdle(): boolean {
    return this.#calls.size === 0;
  }

  enter(): WindowPlace {
    const call: Call = { state: "waiting", number: 0 };
    this.#calls.add(call);
    this.#advance();
    return {
      get isOpen() {
        return call.state !== "waiting";
      },
      whenOpen: (go) => {
        if (call.state === "waiting") call.go = go;
        else go();
      },
      complete: () => {
        call.state = "complete";
        call.number = ++this.#completed;
      },
      leave: (isRefused) => {
        if (isRefused) this.#decrease(call);
        this.#calls.delete(call);
        if (!isRefused && call.state === "complete") this.#size += 1 / this.#size;
        this.#advance();
      },
    };
  }

  #decrease({ number }: Call): void {
    if (number <= this.#completedAtDecrease) return;
    this.#completedAtDecrease = this.#completed;
    this.#size = Math.max(1, Math.min(this.#size, this.#count("complete")) / 2);
    let excess = this.#count("complete") + this.#count("reading") - this.#size;
    for (const call of [...this.#calls].toReversed()) {
      if (excess <= 0) return;
      if (call.state !== "reading") continue;
      call.state = "waiting";
      excess--;
    }
  }

  #advance(): void {
    let room = this.#size - this.#count("complete") - this.#count("reading");
    for (const call of this.#calls) {
      if (room < 1) return;
      if (call.state !== "waiting") continue;
      room--;
      call.state = "reading";
      const { go } = call;
      delete call.go;
      go?.();
    }
  }

  #count(state: Call["state"]): number {
    return this.#calls.values().reduce((count, call) => count + Number(call.state === state), 0);
  }
}

type Call = {
  state: "waiting" | "reading" | "complete";
  /** Its place in the order of completion; 0 before. */
  number: number;
  /** Lets the call go on. */
  go?: () => void;
};

type WindowPlace = {
  /** Whether the call may continue now. */
  readonly isOpen: boolean;
  /** Runs `go` at once, or when the call may continue, unless it leaves before. */
  whenOpen(go: () => void): void;
  /** The body is complete. */
  complete(): void;
  /** The call has ended. `isRefused`: the batcher refused it because too many wait. To be called once. */
  leave(isRefused: boolean): void;
};
