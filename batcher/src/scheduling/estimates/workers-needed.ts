/**
 * How many workers the pool needs for its calls, refused ones included: what an autoscaler follows.
 *
 *     needed = max over the last 5 minutes of (work a ms / utilisation target + backlog / time budget)
 *
 * Work is what the calls take of a worker's time, on average over some seconds. It does not depend on how
 * many workers there are, so the number cannot oscillate with them. It rises at once and falls only after the
 * hold, because a worker takes longer to start than a burst lasts.
 */
export class WorkersNeeded {
  /** Exponentially weighted ms of work per ms. */
  #work = 0;
  #updatedAt = Number.NEGATIVE_INFINITY;
  #beganAt = Number.NEGATIVE_INFINITY;
  #sampledAt = Number.NEGATIVE_INFINITY;
  /** The most of each stretch of `stretchMs` that is not over for `holdMs`, the oldest first. */
  #peaks: { untilMs: number; workers: number }[] = [];

  /** Counts a request that takes this many ms of a worker's time. */
  add(workMs: number, now: number): void {
    this.#decay(now);
    this.#work += workMs / windowMs;
  }

  /** Whether the last sample is so old that another one is due. */
  isDue(now: number): boolean {
    return now - this.#sampledAt >= sampleEveryMs;
  }

  sample({ utilisationTarget, backlog, workersInService }: PoolNeeds, now: number): void {
    this.#decay(now);
    this.#sampledAt = now;
    if (this.#beganAt === Number.NEGATIVE_INFINITY) this.#beganAt = now;
    // After a takeover the earlier need is unknown: the pool keeps the workers that it has.
    const before = now - this.#beganAt < holdMs ? workersInService : 0;
    const workers = Math.max(this.#work / utilisationTarget + backlog, before);
    const untilMs = (Math.floor(now / stretchMs) + 1) * stretchMs;
    const last = this.#peaks.at(-1);
    if (last?.untilMs === untilMs) last.workers = Math.max(last.workers, workers);
    else this.#peaks.push({ untilMs, workers });
    this.#peaks = this.#peaks.filter((each) => now - each.untilMs < holdMs);
  }

  /** A whole number, from 0; 0 before the first sample. */
  get count(): number {
    const most = Math.max(0, ...this.#peaks.map(({ workers }) => workers));
    return most < negligible ? 0 : Math.ceil(most - negligible);
  }

  #decay(now: number): void {
    const elapsedMs = Math.max(0, now - this.#updatedAt);
    this.#work *= Math.exp(-elapsedMs / windowMs);
    this.#updatedAt = Math.max(this.#updatedAt, now);
  }
}

/** Long enough that single requests do not add a worker, and shorter than the interval of autoscalers. */
const windowMs = 10_000;
/** The time that Kubernetes waits by default before it removes workers. */
const holdMs = 300_000;
const stretchMs = 10_000;
const sampleEveryMs = 1_000;
/** Tolerance in workers: single calls and rounding. */
const negligible = 0.01;

type PoolNeeds = {
  utilisationTarget: number;
  /** How many workers would serve in time what waits now; not a whole number. */
  backlog: number;
  workersInService: number;
};
