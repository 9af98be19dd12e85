/**
 * Two levels of stopping. `stop` aborts at the first Ctrl-C, SIGTERM or SIGHUP, `force` at the next one.
 * `stop` aborts as well when the process that started this one has ended: killed, it could send no signal.
 * Signals within a second count as one: at a terminal, Ctrl-C reaches every process of the group, and npm and
 * the bootstrap forward the signals that they receive.
 */
export function stopRequests(print: (line: string) => void): StopRequests {
  const stop = new AbortController();
  const force = new AbortController();
  let firstAt = 0;
  const onSignal = () => {
    if (!stop.signal.aborted) {
      firstAt = performance.now();
      print("stopping; press Ctrl-C again to stop immediately");
      stop.abort();
    } else if (performance.now() - firstAt > sameSignalWithinMs && !force.signal.aborted) {
      print("stopping immediately");
      force.abort();
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  const starter = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === starter) return;
    clearInterval(timer);
    onSignal();
  }, starterCheckEveryMs).unref();
  return { stop: stop.signal, force: force.signal };
}

const sameSignalWithinMs = 1_000;
const starterCheckEveryMs = 500;

export type StopRequests = { stop: AbortSignal; force: AbortSignal };
