/**
 * How many tasks each tenant has demanded lately, refused ones included. A tenant that demands less than an
 * equal share of what the workers can do is not refused for a queue that others made.
 */
export class TenantDemand {
  readonly #rates = new Map<string, DemandRate>();
  #shares = { share: 0, someWithin: false, someTwice: false, at: Number.NEGATIVE_INFINITY };

  add(tenant: string, count: number, now: number): void {
    const rate = this.#rates.get(tenant) ?? { perMs: 0, updatedAt: now, since: now };
    rate.perMs = rate.perMs * decay(now - rate.updatedAt) + count / windowMs;
    rate.updatedAt = now;
    this.#rates.set(tenant, rate);
    if (this.#rates.size > tenantsMax) this.#forget(now);
  }

  get tenants(): number {
    return this.#rates.size;
  }

  /** Whether several tenants have called lately: then a batch that takes long makes others wait. */
  areSeveral(now: number): boolean {
    return (
      this.#rates
        .values()
        .filter((rate) => now - rate.updatedAt < windowMs)
        .take(2)
        .toArray().length > 1
    );
  }

  /**
   * Whether the tenant demands no more than an equal share of `tasksPerMs`, which is what the lane's workers
   * can do. A tenant that is alone has no share.
   */
  isWithinShare(tenant: string, tasksPerMs: number, now: number): boolean {
    let active = 0;
    for (const rate of this.#rates.values()) if (perMs(rate, now) > activeShareMin * tasksPerMs) active++;
    const rate = this.#rates.get(tenant);
    return active > 1 && rate !== undefined && perMs(rate, now) <= tasksPerMs / active;
  }

  /**
   * Whether some tenant demands more than twice an equal share of `tasksPerMs`, and another one no more than
   * its share: the second waits for what the first has running.
   */
  isUneven(tasksPerMs: number, now: number): boolean {
    const { someTwice, someWithin } = this.#sharesOf(tasksPerMs, now);
    return someTwice && someWithin;
  }

  /**
   * Whether this tenant demands more than an equal share of `tasksPerMs`, and another one no more than its
   * share. Not twice the share: a client that keeps a number of requests in flight demands what it gets, and
   * neither of two tenants gets more than twice its share.
   */
  isExcessive(tenant: string, tasksPerMs: number, now: number): boolean {
    const { share, someWithin } = this.#sharesOf(tasksPerMs, now);
    const rate = this.#rates.get(tenant);
    return someWithin && rate !== undefined && perMs(rate, now) > share;
  }

  /** The result is kept for 100 ms, because every decision needs it. */
  #sharesOf(tasksPerMs: number, now: number) {
    if (now - this.#shares.at < sharesKnownMs) return this.#shares;
    const rates = [...this.#rates.values()].filter((rate) => now - rate.updatedAt < windowMs);
    const demands = rates.map((rate) => perMs(rate, now));
    const share = tasksPerMs / Math.max(1, demands.length);
    const someWithin = demands.some((each) => each <= share);
    this.#shares = { share, someWithin, someTwice: demands.some((each) => each > 2 * share), at: now };
    return this.#shares;
  }

  #forget(now: number): void {
    for (const [tenant, rate] of this.#rates) {
      if (now - rate.updatedAt > 5 * windowMs) this.#rates.delete(tenant);
    }
    // Then the oldest: being forgotten costs a tenant only this protection.
    for (const tenant of this.#rates.keys()) {
      if (this.#rates.size <= tenantsMax) return;
      this.#rates.delete(tenant);
    }
  }
}

/**
 * The weighted count over the time that it covers, so that a tenant that has just begun does not look modest.
 */
const perMs = ({ perMs, updatedAt, since }: DemandRate, now: number): number =>
  (perMs * decay(now - updatedAt)) / (1 - decay(now - since));

const decay = (ms: number): number => Math.exp(-ms / windowMs);

/** Long enough that a few requests with many images are not a flood. */
const windowMs = 5_000;
const tenantsMax = 1_000;
const sharesKnownMs = 100;
/** A tenant that demands less than this share of the capacity does not count. */
const activeShareMin = 0.01;

type DemandRate = { perMs: number; updatedAt: number; since: number };
