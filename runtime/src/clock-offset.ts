/** How long a measurement is used. */
const measurementAgeMaxMs = 60_000;

/** The offset that is used moves by this share of the time that passes, 5 ms a second. */
const slewMax = 0.005;

/** More than the clocks of two machines drift apart in that time. */
const driftMaxMs = 20;

/**
 * The offset of a server's clock to a monotonic one, from measurements by round trips. Of those of the last
 * minute, the one with the shortest round trip is the best (Cristian's algorithm: its error is at most half
 * of the round trip). A better one takes effect step by step (as NTP slews a clock): a jump would make times
 * that were measured across it wrong by as much. Only where the server's clock was set, the offset jumps.
 */
export class ClockOffset {
  readonly #measurements: Measurement[] = [];
  #best: Measurement | undefined;
  #used: { offsetMs: number; at: number } | undefined;

  /** Returns false if the server's clock was set: then earlier times no longer apply. */
  add(measurement: Measurement): boolean {
    const agrees = this.#measurements.every((each) => !contradicts(each, measurement));
    if (!agrees) {
      this.#measurements.length = 0;
      this.#used = undefined;
    }
    this.#measurements.push(measurement);
    while (measurement.at - this.#measurements[0]!.at > measurementAgeMaxMs) this.#measurements.shift();
    this.#best = this.#measurements.reduce((least, each) =>
      each.roundTripMs < least.roundTripMs ? each : least,
    );
    return agrees;
  }

  /** Returns the offset in ms to use at `now` of the monotonic clock. Throws before the first measurement. */
  at(now: number): number {
    if (this.#best === undefined) throw new Error("the offset of the clock was not measured yet");
    const { offsetMs: target } = this.#best;
    const { offsetMs, at } = this.#used ?? { offsetMs: target, at: now };
    const stepMax = slewMax * (now - at);
    const step = Math.min(stepMax, Math.max(-stepMax, target - offsetMs));
    this.#used = { offsetMs: offsetMs + step, at: now };
    return this.#used.offsetMs;
  }
}

/** Whether two offsets differ by more than their errors (half a round trip each) and drift can explain. */
const contradicts = (a: Measurement, b: Measurement): boolean =>
  Math.abs(a.offsetMs - b.offsetMs) > (a.roundTripMs + b.roundTripMs) / 2 + driftMaxMs;

/** `at`: on the monotonic clock, in ms. */
type Measurement = { at: number; roundTripMs: number; offsetMs: number };
