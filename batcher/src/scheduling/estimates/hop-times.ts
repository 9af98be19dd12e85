/**
 * How long messages take between the processes, in ms: for each hop, the running 95th percentile. All are
 * measured from instants that the messages carry anyway, on the one clock that all processes share.
 */
export class HopTimes {
  /** Batcher → worker: from a batch's `sentAt` to the first report that names it. */
  readonly toWorker: Percentile95;
  /** Worker → batcher: from a report's `sentAt` to its arrival. */
  readonly fromWorker: Percentile95;
  /** Worker → client: from the end of a run to the first report that says its answers were published. */
  readonly reply: Percentile95;

  constructor({ hopMs, replyMs }: { hopMs: number; replyMs: number }) {
    this.toWorker = new Percentile95(hopMs);
    this.fromWorker = new Percentile95(hopMs);
    this.reply = new Percentile95(replyMs);
  }
}

/**
 * A running 95th percentile. A value above it raises it by 19 steps and a value below lowers it by one, so
 * that it settles with one value of 20 above it. A step is a share of the mean distance of the values.
 */
class Percentile95 {
  ms: number;
  #distanceMs: number;

  constructor(guessMs: number) {
    this.ms = guessMs;
    this.#distanceMs = guessMs;
  }

  learn(ms: number): void {
    // Clocks agree to a fraction of a millisecond, so a measured time may be slightly negative.
    const value = Math.max(0, ms);
    if (value === this.ms) return;
    const step = 0.1 * this.#distanceMs;
    this.#distanceMs += 0.05 * (Math.abs(value - this.ms) - this.#distanceMs);
    this.ms = Math.max(0, this.ms + (value > this.ms ? 0.95 : -0.05) * step);
  }
}
