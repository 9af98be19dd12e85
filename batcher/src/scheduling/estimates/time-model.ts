/**
 * How long a batch takes, learned while serving: one mean per size, in which each new observation weighs more
 * than the one before it, and the line `ms = alpha + beta · size` through these means. Sizes are padded
 * sizes, because padding takes time too. Where times are stepped and the line misses them, the means
 * themselves are used.
 */
export class TimeModel {
  /** Ascending by size. */
  #means: Mean[];
  /** The same, with stale means within the bounds that the others set. */
  #bounded: readonly Mean[] = [];
  /** Neither part is negative: no batch is free, and a larger one is not quicker. */
  #line: Line = { alpha: 0, beta: 0 };
  #stepped = false;
  /** Exponentially weighted means of |error|, in ms: of the line, of the means, and of the predictions. */
  #lineErrorMs: number;
  #meansErrorMs = 0;
  #residualMs = 0;
  #misses: { count: number; sign: number } = { count: 0, sign: 0 };

  /**
   * Starts from a warm-up, which was measured and counts until batches outweigh it, or from a guess, which is
   * worth one batch and is dropped once two sizes were measured.
   */
  constructor(first: { size: number; ms: number }[], origin: "measured" | "guessed" = "measured") {
    const measured = origin === "measured";
    const weight = (measured ? warmUpWeight : 1) / first.length;
    this.#means = first
      .map(({ size, ms }) => ({ size, ms, weight, measured }))
      .toSorted((a, b) => a.size - b.size);
    this.#fit();
    const errors = first.map(({ size, ms }) => Math.abs(ms - this.#onLine(size)));
    this.#lineErrorMs = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    this.#stepped = this.#isStepped();
  }

  learn(size: number, ms: number): void {
    const errorMs = ms - this.meanMs(size);
    // A size that has not run for long may take any time: its mean must not move the others.
    const misses = this.isStale(size) ? 0 : this.#missesAfter(errorMs, size);
    this.#lineErrorMs = towards(this.#lineErrorMs, Math.abs(ms - this.#onLine(size)));
    this.#meansErrorMs = towards(this.#meansErrorMs, Math.abs(ms - this.#onMeans(size)));
    this.#residualMs = towards(this.#residualMs, Math.abs(errorMs));
    // A single error too large for noise would bend the line, so it is ignored. Three in a row: the times
    // have changed.
    if (misses === 0) this.#add(size, ms);
    if (misses === missesOfJump) this.#scale(ms / this.meanMs(size));
    this.#fit();
    this.#stepped = this.#isStepped();
  }

  /** Expected time in ms of a batch of this size: for capacity and for staging just in time. */
  meanMs(size: number): number {
    return Math.max(leastMs, this.#stepped ? this.#onMeans(size) : this.#onLine(size));
  }

  /** Pessimistic time in ms, the mean and three residuals: for whether a batch can still meet a deadline. */
  highMs(size: number): number {
    return this.meanMs(size) + 3 * this.#residualMs;
  }

  /** Whether batches of this size have not run for so long that their time may have changed. */
  isStale(size: number): boolean {
    const own = this.#means.find((mean) => mean.size === size);
    return own === undefined || own.weight <= weightMin;
  }

  /** Mean |error| of the predictions, in ms. */
  get residualMs(): number {
    return this.#residualMs;
  }

  /** Time in ms of a batch as such (`alpha`), and of each task in it (`beta`). */
  get line(): Line {
    if (!this.#stepped) return this.#line;
    const [least, most] = [this.#bounded[0]!, this.#bounded.at(-1)!];
    const beta = (this.#onMeans(most.size) - least.ms) / Math.max(1, most.size - least.size);
    return { alpha: Math.max(0, least.ms - beta * least.size), beta };
  }

  /** Whether the means predict twice as well as the line, and the line is off by a tenth. */
  #isStepped(): boolean {
    if (this.#means.length < 3) return false;
    const middle = this.#means[this.#means.length >> 1]!;
    return this.#lineErrorMs > Math.max(2 * this.#meansErrorMs, 0.1 * middle.ms);
  }

  /** Number of errors in a row, this one included, that were of one sign and too large for noise. */
  #missesAfter(errorMs: number, size: number): number {
    if (!this.#means.every((mean) => mean.measured)) return 0;
    const large = Math.abs(errorMs) > Math.max(4 * this.#residualMs, 0.1 * this.meanMs(size));
    const sign = Math.sign(errorMs);
    const running = sign === this.#misses.sign ? this.#misses.count : 0;
    const count = large ? running + 1 : 0;
    this.#misses = { count: count % missesOfJump, sign };
    return count;
  }

  /** A change of pace at one size counts for all sizes, with a weight that is soon outweighed. */
  #scale(ratio: number): void {
    // From the bounded means, so that pauses do not compound.
    this.#means = [...this.#bounded];
    const total = this.#means.reduce((sum, mean) => sum + mean.weight, 0);
    for (const mean of this.#means) {
      mean.ms *= ratio;
      mean.weight *= warmUpWeight / total;
    }
  }

  /**
   * Adds an observation. A size that does not run keeps a little weight: otherwise hours of full batches
   * would make the model forget how long a small one takes. The first run after that replaces what was kept.
   */
  #add(size: number, ms: number): void {
    for (const mean of this.#means) mean.weight = Math.max(weightMin, decay * mean.weight);
    const own = this.#means.find((mean) => mean.size === size);
    if (own?.measured) {
      if (own.weight <= weightMin) own.weight = 0;
      own.ms = (own.weight * own.ms + ms) / (own.weight + 1);
      own.weight++;
      return;
    }
    const measured = this.#means.filter((mean) => mean.measured);
    // A line needs two measured ends: until there are two, a guess stays.
    const kept = measured.length > 0 ? measured : this.#means.filter((mean) => mean.size !== size);
    this.#means = [...kept, { size, ms, weight: 1, measured: true }].toSorted((a, b) => a.size - b.size);
  }

  /**
   * Returns the means, with the times of sizes that do not run kept within what the running sizes allow: no
   * larger batch is quicker, and none takes longer than its tasks in smaller batches. A pause of the machine
   * may look like a change of pace. That lengthens all times, and afterwards only those of running sizes
   * shrink again. The stored means do not change: temporary bounds would narrow them more and more.
   */
  #withinBounds(): Mean[] {
    return this.#means.map((mean) => {
      if (mean.weight > weightMin) return { ...mean };
      let { ms } = mean;
      for (const run of this.#means) {
        if (run.weight <= weightMin) continue;
        const inProportion = (run.ms * mean.size) / run.size;
        const [least, most] = mean.size < run.size ? [inProportion, run.ms] : [run.ms, inProportion];
        ms = Math.min(most, Math.max(least, ms));
      }
      return { ...mean, ms };
    });
  }

  #onLine(size: number): number {
    return this.#line.alpha + this.#line.beta * size;
  }

  /** Interpolates between the means of the sizes that were run. No larger batch is quicker. */
  #onMeans(size: number): number {
    let below: { size: number; ms: number } = { size: 0, ms: 0 };
    for (const mean of this.#bounded) {
      const ms = Math.max(below.ms, mean.ms);
      if (mean.size >= size) {
        return below.size === 0
          ? ms
          : below.ms + ((ms - below.ms) * (size - below.size)) / (mean.size - below.size);
      }
      below = { size: mean.size, ms };
    }
    return below.ms * (size / below.size);
  }

  /** Weighted least squares through the means. */
  #fit(): void {
    this.#bounded = this.#withinBounds();
    let weight = 0;
    let sizes = 0;
    let times = 0;
    for (const mean of this.#bounded) {
      weight += mean.weight;
      sizes += mean.weight * mean.size;
      times += mean.weight * mean.ms;
    }
    const meanSize = sizes / weight;
    const meanMs = times / weight;
    let spread = 0;
    let slope = 0;
    for (const mean of this.#bounded) {
      spread += mean.weight * (mean.size - meanSize) ** 2;
      slope += mean.weight * (mean.size - meanSize) * (mean.ms - meanMs);
    }
    // Observations of one size say nothing about the slope: the time is taken as proportional to the size.
    const steepest = meanMs / meanSize;
    const beta = spread === 0 ? steepest : Math.min(Math.max(0, slope / spread), steepest);
    this.#line = { alpha: meanMs - beta * meanSize, beta };
  }
}

/** Factor per batch on the weight of what is known: its half-life is 23 batches. */
const decay = 0.97;
const weightMin = 0.25;
const errorDecay = 0.95;
const warmUpWeight = 8;
/** No batch is free, and throughput is a size divided by its time. */
const leastMs = 0.05;
const missesOfJump = 3;

const towards = (mean: number, value: number): number => errorDecay * mean + (1 - errorDecay) * value;

type Line = { alpha: number; beta: number };

type Mean = { size: number; ms: number; weight: number; measured: boolean };
