import type { Trace } from "./trace.ts";

/** Returns how many calls came, and how many in the busiest second. */
export function trafficSummary(trace: Trace): TrafficSummary {
  const { atMs, tenant, lanes } = trace.columns;
  const startMs = atMs[0] ?? 0;
  let [second, inSecond, busiestPerSecond] = [0, 0, 0];
  for (const at of atMs) {
    const own = Math.floor((at - startMs) / 1_000);
    inSecond = own === second ? inSecond + 1 : 1;
    second = own;
    busiestPerSecond = Math.max(busiestPerSecond, inSecond);
  }
  return {
    calls: trace.calls,
    images: trace.images,
    tenants: new Set(tenant).size,
    lanes,
    seconds: trace.durationMs / 1_000,
    perSecond: trace.calls / Math.max(1, trace.durationMs / 1_000),
    busiestPerSecond,
  };
}

export type TrafficSummary = {
  calls: number;
  images: number;
  tenants: number;
  lanes: readonly string[];
  seconds: number;
  /** Calls, on average. */
  perSecond: number;
  /** Calls in the busiest second. */
  busiestPerSecond: number;
};
