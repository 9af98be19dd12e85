import type { Attribute } from "./attributes.ts";

/**
 * A span that has ended, as a service hands it over to be exported. Instants are those of the shared clock.
 */
export type FinishedSpan = {
  name: string;
  kind: "internal" | "server" | "client" | "producer" | "consumer";
  context: SpanContext;
  /** Span id of its parent in the same trace; undefined for the first span of a trace. */
  parentId: string | undefined;
  startAt: number;
  endAt: number;
  /** Undefined values are left out. */
  attributes: Partial<Record<Attribute, string | number | boolean | undefined>>;
  /** Spans of other traces that this one belongs to. */
  links?: SpanContext[];
  /** Why it failed, in one sentence; undefined if it did not. */
  error?: string | undefined;
};

/** Names a span, as `traceparent` and `tracestate` do (W3C Trace Context). */
export type SpanContext = {
  traceId: string;
  spanId: string;
  sampled: boolean;
  tracestate?: string | undefined;
};

/** Reads a valid `traceparent`. */
export function readTraceparent(traceparent: string, tracestate?: string): SpanContext {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1, tracestate };
}

export const traceparentOf = ({ traceId, spanId, sampled }: SpanContext): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;

/** Whether the spans of a task are exported: for most tasks nothing else of its context is needed. */
export const isSampled = (traceparent: string): boolean =>
  (Number.parseInt(traceparent.slice(-2), 16) & 1) === 1;
