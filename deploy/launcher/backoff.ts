/**
 * When a process that died is started again: at once or nearly so the first time, then after twice as long each time,
 * so that one which cannot live does not eat the machine. A process that ran for a while has been well.
 */
export function restart(failures: number, ranMs: number, limits: RestartLimits): Restart {
  const before = ranMs >= limits.forgetMs ? 0 : failures;
  return { failures: before + 1, afterMs: Math.min(limits.maxMs, limits.firstMs * 2 ** before) };
}

export type RestartLimits = { firstMs: number; maxMs: number; forgetMs: number };

/** `failures` goes into the next call. */
export type Restart = { failures: number; afterMs: number };
