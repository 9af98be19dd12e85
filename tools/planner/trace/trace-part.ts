import type { Trace } from "./trace.ts";

/** Calls `from` to below `until`, of which those from `countedFrom` on count: the ones before fill queues. */
export type TracePart = { from: number; until: number; countedFrom: number };

export const wholeTrace = (trace: Trace): TracePart => ({ from: 0, until: trace.calls, countedFrom: 0 });

/**
 * Returns the whole trace as often as it takes for `countedMin` calls to count. Before it come calls that do
 * not, from which the scheduler learns what that of a service has learned which runs for long. A minute of
 * calls is too few: their p99 differs by a fifth from seed to seed.
 */
export function repeatedTrace(trace: Trace, countedMin: number): TracePart[] {
  const all = wholeTrace(trace);
  const times = Math.ceil(countedMin / Math.max(1, trace.calls));
  const counted = Array.from({ length: Math.min(Math.max(1, times), timesMax) }, () => all);
  const until = Math.min(trace.calls, learningCalls);
  return [{ from: 0, until, countedFrom: until }, ...counted];
}

/** Some 50 runs of each of 10 workers. */
const learningCalls = 1_000;

/** Repetitions of a trace of a few calls. */
const timesMax = 50;
