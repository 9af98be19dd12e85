import type { Arrivals } from "@faceline/simulation/arrivals";
import type { Trace } from "../trace/trace.ts";
import type { TracePart } from "../trace/trace-part.ts";

/**
 * Returns the calls of several parts of a trace as one stream of arrivals, the first at instant 0. Each part
 * begins once the calls of the one before it have ended, so that no queue is left, and the scheduler keeps
 * the run times and hops that it has measured: one that starts over refuses calls in a burst that it would
 * answer hours later.
 */
export function joinParts(trace: Trace, parts: readonly TracePart[]): JoinedParts {
  const { atMs, timeBudgetMs } = trace.columns;
  const joined: { part: TracePart; first: number; startMs: number; arrivals: Arrivals }[] = [];
  const gaps: { fromMs: number; untilMs: number }[] = [];
  let [calls, endMs] = [0, 0];
  for (const [number, part] of parts.entries()) {
    const { from, until } = part;
    const before = parts[number - 1];
    if (before !== undefined) {
      const gapMs = longest(timeBudgetMs.subarray(before.from, before.until));
      gaps.push({ fromMs: endMs, untilMs: endMs + gapMs });
      endMs += gapMs;
    }
    joined.push({ part, first: calls, startMs: endMs, arrivals: trace.arrivals(from, until) });
    calls += until - from;
    if (until > from) endMs += atMs[until - 1]! - atMs[from]!;
  }
  const partOf = (index: number) => joined.findLast(({ first }) => first <= index)!;
  return {
    lastAtMs: endMs,
    isBetweenParts: (ms) => gaps.some(({ fromMs, untilMs }) => fromMs <= ms && ms < untilMs),
    arrivals: {
      at: (index) => {
        if (index >= calls) return undefined;
        const { first, startMs, arrivals } = partOf(index);
        const arrival = arrivals.at(index - first)!;
        return { ...arrival, atMs: startMs + arrival.atMs };
      },
    },
    callAt: (index) => {
      const { first, part } = partOf(index);
      return part.from + index - first;
    },
    isCounted: (index) => {
      const { first, part } = partOf(index);
      return part.from + index - first >= part.countedFrom;
    },
  };
}

const longest = (values: Float64Array): number => values.reduce((most, each) => Math.max(most, each), 0);

type JoinedParts = {
  arrivals: Arrivals;
  /** When the last call arrives. */
  lastAtMs: number;
  /** Whether no call arrives, because those of a part still end. In ms since the first arrival. */
  isBetweenParts(ms: number): boolean;
  /** Index in the trace of an arrival. */
  callAt(index: number): number;
  isCounted(index: number): boolean;
};
