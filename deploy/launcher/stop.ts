/**
 * What people ask of a launcher. `stop` aborts at the first Ctrl-C or SIGTERM, `force` at the next one. Signals that
 * come within a second are one: at a terminal, Ctrl-C reaches every process of the group, and npm and the bootstrap
 * pass on what they got.
 */
export function stopRequests(say: (line: string) => void): StopRequests {
  const stop = new AbortController();
  const force = new AbortController();
  let firstAt = 0;
  const hear = () => {
    if (!stop.signal.aborted) {
      firstAt = performance.now();
      say("stopping; Ctrl-C again to stop at once");
      stop.abort();
    } else if (performance.now() - firstAt > oneSignalMs && !force.signal.aborted) {
      say("stopping at once");
      force.abort();
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, hear);
  return { stop: stop.signal, force: force.signal };
}

const oneSignalMs = 1_000;

export type StopRequests = { stop: AbortSignal; force: AbortSignal };
