import { isSampled, traceparentOf } from "@faceline/runtime/tracing/trace-context";
import type { CallRecord } from "./record.ts";

/**
 * Returns the `Server-Timing` of a call: its parts in ms, and the `traceparent` of a sampled one, which
 * monitoring in browsers reads from here.
 */
export function serverTiming(record: CallRecord, endedAt: number): string {
  const parts = Object.entries(record.parts(endedAt)).map(([name, ms]) => `${name};dur=${ms.toFixed(2)}`);
  const { context } = record.trace;
  if (isSampled(context)) parts.push(`traceparent;desc="${traceparentOf(context)}"`);
  return parts.join(", ");
}
