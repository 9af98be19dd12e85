/**
 * Instants at which calls are to be sent that know nothing of each other (Poisson), in milliseconds from the start,
 * ascending. The same seed gives the same instants: every server is asked the same.
 */
export function poisson({ seed, perSecond, forMs }: Traffic): number[] {
  const next = mulberry32(seed);
  const instants: number[] = [];
  for (let atMs = 0; ; ) {
    atMs -= (1_000 / perSecond) * Math.log(1 - next());
    if (atMs >= forMs) return instants;
    instants.push(atMs);
  }
}

/** Numbers from 0 to below 1 that look random; 32 bits of state, good enough to draw traffic and pictures. */
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
