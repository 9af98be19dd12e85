/**
 * How much each tenant has asked for lately, refused or not: whoever asks for less than an equal share of what the
 * workers can do is not refused for a queue that others made.
 */
export class Offers {
  readonly #rates = new Map<string, Rate>();

  add(tenant: string, count: number, now: number): void {
    const rate = this.#rates.get(tenant) ?? { perMs: 0, at: now, since: now };
    rate.perMs = rate.perMs * decay(now - rate.at) + count / overMs;
    rate.at = now;
    this.#rates.set(tenant, rate);
    if (this.#rates.size > tenantsMax) this.#forget(now);
  }

  get tenants(): number {
    return this.#rates.size;
  }

  /** `capacity`: the tasks that the lane's workers can do in a ms. */
  withinShare(tenant: string, capacity: number, now: number): boolean {
    let active = 0;
    for (const rate of this.#rates.values()) if (perMs(rate, now) > negligible * capacity) active++;
    const rate = this.#rates.get(tenant);
    return active > 1 && rate !== undefined && perMs(rate, now) <= capacity / active;
  }

  #forget(now: number): void {
    for (const [tenant, rate] of this.#rates) if (now - rate.at > 5 * overMs) this.#rates.delete(tenant);
    // The one that was heard of first: it costs it only this grace.
    for (const tenant of this.#rates.keys()) {
      if (this.#rates.size <= tenantsMax) return;
      this.#rates.delete(tenant);
    }
  }
}

/** As much as was counted, over the time in which it was: who has just begun is not taken for modest. */
const perMs = ({ perMs, at, since }: Rate, now: number): number =>
  (perMs * decay(now - at)) / (1 - decay(now - since));

const decay = (ms: number): number => Math.exp(-ms / overMs);

/** Long enough that a few calls of many images are no flood. */
const overMs = 5_000;
const tenantsMax = 1_000;
const negligible = 0.01;

type Rate = { perMs: number; at: number; since: number };
