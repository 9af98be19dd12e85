/**
 * When a process that died is started again: after `firstMs` the first time, then after twice as long each
 * time up to `maxMs`, so that a process that cannot live does not use up the machine. After a run of
 * `forgetMs` the count of failures starts again.
 */
export function nextRestart(failures: number, ranMs: number, limits: RestartLimits): Restart {
  const before = ranMs >= limits.forgetMs ? 0 : failures;
  return { failures: before + 1, afterMs: Math.min(limits.maxMs, limits.firstMs * 2 ** before) };
}

export type RestartLimits = { firstMs: number; maxMs: number; forgetMs: number };

/** `failures` is the first argument of the next call. */
type Restart = { failures: number; afterMs: number };
