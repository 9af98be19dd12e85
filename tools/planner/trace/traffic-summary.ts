import type { Trace } from "./trace.ts";

/**
 * Returns how many calls came when, in at most `slotsMax` slots of equal length, and how many in the busiest
 * second.
 */
export function trafficSummary(trace: Trace): TrafficSummary {
  const { atMs, tenant, lanes } = trace.columns;
  const startMs = atMs[0] ?? 0;
  const slotMs = Math.max(1_000, 1_000 * Math.ceil(trace.durationMs / slotsMax / 1_000));
  // The last slot is left out unless it is whole: its rate would look like a drop.
  const slots = Array.from({ length: Math.max(1, Math.floor(trace.durationMs / slotMs)) }, () => 0);
  let [second, inSecond, busiestPerSecond] = [0, 0, 0];
  for (const at of atMs) {
    const slot = Math.floor((at - startMs) / slotMs);
    if (slot < slots.length) slots[slot]!++;
    const own = Math.floor((at - startMs) / 1_000);
    inSecond = own === second ? inSecond + 1 : 1;
    second = own;
    busiestPerSecond = Math.max(busiestPerSecond, inSecond);
  }
  return {
    calls: trace.calls,
    pictures: trace.pictures,
    tenants: new Set(tenant).size,
    lanes,
    seconds: trace.durationMs / 1_000,
    perSecond: trace.calls / Math.max(1, trace.durationMs / 1_000),
    busiestPerSecond,
    slotSeconds: slotMs / 1_000,
    slots: slots.map((calls) => calls / (slotMs / 1_000)),
  };
}

/** Slots that a plot can show. */
const slotsMax = 200;

export type TrafficSummary = {
  calls: number;
  pictures: number;
  tenants: number;
  lanes: readonly string[];
  seconds: number;
  /** Calls, on average. */
  perSecond: number;
  /** Calls in the busiest second. */
  busiestPerSecond: number;
  slotSeconds: number;
  /** Calls a second of each slot. */
  slots: number[];
};
