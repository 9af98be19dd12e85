/** Starts a run on this thread. Returns a function that says how long it took, and its CPU time, in ms. */
export function startRunClock(): () => { runMs: number; cpuMs: number } {
  const startedAt = performance.now();
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return { runMs: performance.now() - startedAt, cpuMs: (user + system) / 1_000 };
  };
}
