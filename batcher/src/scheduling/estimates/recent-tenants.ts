/**
 * Whether several tenants have called lately, in whatever lane: then a batch that takes long makes others
 * wait.
 */
export class RecentTenants {
  #latest: string | undefined;
  /** Instant of the last call that came from another tenant than the call before it. */
  #changedAt = Number.NEGATIVE_INFINITY;

  add(tenant: string, now: number): void {
    if (this.#latest !== undefined && tenant !== this.#latest) this.#changedAt = now;
    this.#latest = tenant;
  }

  areSeveral(now: number): boolean {
    return now - this.#changedAt < recentMs;
  }
}

/** The time for which the demand of tenants is remembered. */
const recentMs = 5_000;
