/**
 * Whether tenants have called lately, in whatever lane, and whether several have: then a batch that takes
 * long makes others wait. Best-effort calls do not count.
 */
export class RecentTenants {
  #latest: string | undefined;
  #calledAt = Number.NEGATIVE_INFINITY;
  /** Instant of the last call that came from another tenant than the call before it. */
  #changedAt = Number.NEGATIVE_INFINITY;

  add(tenant: string, now: number): void {
    if (this.#latest !== undefined && tenant !== this.#latest) this.#changedAt = now;
    this.#latest = tenant;
    this.#calledAt = now;
  }

  /** Whether none has called lately. */
  areQuiet(now: number): boolean {
    return now - this.#calledAt >= recentMs;
  }

  areSeveral(now: number): boolean {
    return now - this.#changedAt < recentMs;
  }
}

/** The time for which the demand of tenants is remembered. */
const recentMs = 5_000;
