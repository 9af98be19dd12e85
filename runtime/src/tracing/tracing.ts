import {
  type HrTime,
  INVALID_SPAN_CONTEXT,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import type { Attribute } from "@faceline/contracts/trace/attributes";
import type { Log } from "../log.ts";
import type { OtlpOptions } from "../otlp-config.ts";
import { newSpanId, newTraceId } from "../random.ts";

export const tracingOff: Tracing = {
  // Others may continue the trace, so it keeps the mark with which it arrived.
  startCall: (_name, _startAt, parent = { traceId: newTraceId(), spanId: "", traceFlags: TraceFlags.NONE }) =>
    trace.wrapSpanContext({ ...parent, spanId: newSpanId() }),
  start: () => trace.wrapSpanContext(INVALID_SPAN_CONTEXT),
  lostSpans: 0,
  async [Symbol.asyncDispose]() {},
};

export type Tracing = AsyncDisposable & {
  /** Starts the span of a call below its client's. It records only if OTEL_TRACES_SAMPLER samples it. */
  startCall(name: string, startAt: number, parent: SpanContext | undefined): Span;
  /** Starts a span that is exported when it ends, whatever the sampler says. */
  start(name: string, options: StartOptions): Span;
  /** Spans that ended and could not be delivered. */
  readonly lostSpans: number;
};

export type StartOptions = {
  /** Epoch ms. */
  startAt: number;
  /** Undefined for the first span of a trace. */
  parent?: SpanContext | undefined;
  /** The ids of the span, if others already know them. */
  context?: SpanContext;
  /** Default: `INTERNAL`. */
  kind?: SpanKind;
  attributes?: SpanAttributes;
  /** Spans of other traces that this one belongs to. */
  links?: SpanContext[];
};

/** Undefined values are left out. */
export type SpanAttributes = Partial<Record<Attribute, string | number | boolean | undefined>>;

/** Ends a span at an instant in epoch ms. `error`: why it failed, in one sentence. */
export function endSpan(span: Span, endAt: number, error?: string): void {
  if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
  span.end(hrTime(endAt));
}

/** Epoch ms in whole microseconds: Zipkin refuses fractions of one, which its exporter would send. */
export function hrTime(ms: number): HrTime {
  const us = Math.round(ms * 1_000);
  return [Math.floor(us / 1e6), (us % 1e6) * 1_000];
}

export type TracingOptions = OtlpOptions & { log: Log };
