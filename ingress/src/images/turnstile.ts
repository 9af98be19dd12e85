import { Refusal } from "../refusal.ts";

/** Lets so many through at a time, and so many wait; who comes after that is refused. */
export class Turnstile {
  readonly #limits: TurnstileLimits;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(limits: TurnstileLimits) {
    this.#limits = limits;
  }

  async through<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#limits.insideMax) this.#inside++;
    else await this.#turn();
    try {
      return await work();
    } finally {
      // The place passes to the next without being free in between, or a newcomer could take it twice.
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside--;
      else next();
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#limits.waitingMax) {
      throw new Refusal("queue_full", "Too many images wait to be looked at.", { retryAfterMs: 1_000 });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

export type TurnstileLimits = { insideMax: number; waitingMax: number };
