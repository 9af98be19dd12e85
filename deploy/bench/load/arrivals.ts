/**
 * Returns the instants at which calls are due, in ms from the start, ascending: a Poisson process of
 * `perSecond` calls a second for `forMs`. The same seed gives the same instants, so that every server gets
 * the same traffic.
 */
export function poisson({ seed, perSecond, forMs }: Traffic): number[] {
  const next = mulberry32(seed);
  const instants: number[] = [];
  for (let dueMs = 0; ; ) {
    dueMs -= (1_000 / perSecond) * Math.log(1 - next());
    if (dueMs >= forMs) return instants;
    instants.push(dueMs);
  }
}

/**
 * Returns a generator of pseudo-random numbers from 0 to below 1 (Mulberry32). Its 32 bits of state are
 * enough for traffic, pictures and bootstrap samples; it is not for secrets.
 */
export function mulberry32(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type Traffic = { seed: number; perSecond: number; forMs: number };
