import type { Trace } from "../trace/trace.ts";
import { learningCalls, type TracePart, wholeTrace } from "../trace/trace-part.ts";
import type { Scope } from "./search.ts";

/**
 * Returns the parts of a trace that ask most of the workers: the busiest stretches of `stretchMs`, each with
 * a time before it in which queues fill, and one after it in which they empty. They are far enough from each
 * other not to overlap, and have at most `callsMax` calls together. The first one, and it alone, begins with
 * `learningCalls` more, from which the scheduler learns run times and hops: it has them in all others.
 * `work`: of each call.
 */
export function busiestWindows(trace: Trace, work: Float32Array, callsMax: number): TracePart[] {
  const { atMs } = trace.columns;
  const stretches: { startMs: number; work: number }[] = [];
  let call = 0;
  for (let startMs = atMs[0] ?? 0; call < trace.calls; startMs += stretchMs) {
    let sum = 0;
    for (; call < trace.calls && atMs[call]! < startMs + stretchMs; call++) sum += work[call]!;
    stretches.push({ startMs, work: sum });
  }
  stretches.sort((a, b) => b.work - a.work);

  const windows: TracePart[] = [];
  const taken: number[] = [];
  let calls = 0;
  for (const { startMs } of stretches) {
    if (taken.some((other) => Math.abs(other - startMs) < beforeMs + stretchMs + afterMs)) continue;
    const from = trace.indexAt(startMs - beforeMs);
    const countedFrom = trace.indexAt(startMs - beforeMs / 2);
    const until = trace.indexAt(startMs + stretchMs + afterMs);
    if (calls + until - from > callsMax && windows.length > 0) break;
    taken.push(startMs);
    const learning = windows.length === 0 ? learningCalls : 0;
    windows.push({ from: Math.max(0, from - learning), until, countedFrom });
    calls += until - from;
  }
  return windows;
}

/**
 * Returns the parts of a trace that settings are tried on. A trace as short as windows may be is tried as a
 * whole: it takes as long, and shows also that a target is met. `work`: of each call.
 */
export function planScopes(trace: Trace, work: Float32Array): Record<Scope, TracePart[]> {
  const all = [wholeTrace(trace)];
  const windows =
    trace.calls <= windowCallsMin
      ? all
      : busiestWindows(trace, work, Math.max(windowCallsMin, trace.calls / 100));
  return { windows, "all requests": all };
}

/** Calls of all windows together, at least. */
const windowCallsMin = 10_000;

const stretchMs = 2_000;
const beforeMs = 10_000;
const afterMs = 8_000;
