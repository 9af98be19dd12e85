import { createTraceState, type SpanContext, TraceFlags } from "@opentelemetry/api";

/** Reads a valid `traceparent`, and the `tracestate` with it (W3C Trace Context). */
export function readTraceparent(traceparent: string, tracestate?: string): SpanContext {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return tracestate === undefined ? context : { ...context, traceState: createTraceState(tracestate) };
}

export const traceparentOf = (context: SpanContext): string =>
  `00-${context.traceId}-${context.spanId}-${isSampled(context) ? "01" : "00"}`;

export const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;

/** Whether the spans of a task are exported: for most tasks, nothing else about its context is needed. */
export const isTraced = ({ traceparent }: { traceparent: string }): boolean =>
  (Number.parseInt(traceparent.slice(-2), 16) & TraceFlags.SAMPLED) !== 0;
