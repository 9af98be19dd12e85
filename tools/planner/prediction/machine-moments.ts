import type { EventQueue } from "@faceline/simulation/event-queue";
import type { Random } from "@faceline/simulation/random";

/**
 * Where the waits of a machine lie in their distributions, from 0 to 1. Waits that begin at one moment have
 * the same place: what makes one of them long, as a pause of the machine, makes the others long too. Moments
 * last 35 ms in the mean, and each has a place of its own.
 */
export class MachineMoments {
  readonly #events: EventQueue;
  readonly #random: Random;
  #share = 0;
  #endsAt = Number.NEGATIVE_INFINITY;

  constructor(events: EventQueue, random: Random) {
    this.#events = events;
    this.#random = random;
  }

  /** Returns the place of a wait that begins now. */
  share(): number {
    const { now } = this.#events;
    if (now >= this.#endsAt) {
      this.#share = this.#random.next();
      this.#endsAt = now - meanMomentMs * Math.log(1 - this.#random.next());
    }
    return this.#share;
  }
}

/** Chosen so that 53 % of the calls 18 ms after a slow one are slow too, as in a measured load. */
const meanMomentMs = 35;
