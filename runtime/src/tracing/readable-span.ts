import {
  type Attributes,
  type HrTime,
  type SpanContext as SdkSpanContext,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
} from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { FinishedSpan, SpanContext } from "@faceline/contracts/trace/span";

/**
 * Returns a span as exporters of the SDK read it. A span of the SDK itself would be checked and copied again
 * on its way, for half of its whole cost. `origin` is the same for all spans of a process.
 */
export const readableSpan = (span: FinishedSpan, origin: SpanOrigin): ReadableSpan =>
  new ExportedSpan(span, origin);

/** Spans wait for seconds, so each holds only what differs from one to the next. */
class ExportedSpan implements ReadableSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly status: SpanStatus;
  readonly attributes: Attributes;
  readonly links: ReadableSpan["links"];
  readonly parentSpanContext?: SdkSpanContext;
  readonly resource: SpanOrigin["resource"];
  readonly instrumentationScope: SpanOrigin["instrumentationScope"];
  readonly #context: SdkSpanContext;

  constructor(span: FinishedSpan, { resource, instrumentationScope }: SpanOrigin) {
    const { context, parentId, error, links } = span;
    this.name = span.name;
    this.kind = kinds[span.kind];
    this.startTime = hrTime(span.startAt);
    this.endTime = hrTime(Math.max(span.startAt, span.endAt));
    this.status = error === undefined ? unset : { code: SpanStatusCode.ERROR, message: error };
    this.attributes = definedOf(span.attributes);
    this.links = links === undefined ? [] : links.map((link) => ({ context: sdkContext(link) }));
    // A span that arrives here is exported, whatever its head was.
    this.#context = sdkContext(context, TraceFlags.SAMPLED);
    if (parentId !== undefined) this.parentSpanContext = { ...this.#context, spanId: parentId };
    this.resource = resource;
    this.instrumentationScope = instrumentationScope;
  }

  spanContext(): SdkSpanContext {
    return this.#context;
  }

  get duration(): HrTime {
    const [seconds, nanos] = this.startTime;
    const [endSeconds, endNanos] = this.endTime;
    const borrowed = endNanos < nanos ? 1 : 0;
    return [endSeconds - seconds - borrowed, endNanos - nanos + borrowed * nanosPerSecond];
  }

  get events(): ReadableSpan["events"] {
    return [];
  }

  get ended(): boolean {
    return true;
  }

  get droppedAttributesCount(): number {
    return 0;
  }

  get droppedEventsCount(): number {
    return 0;
  }

  get droppedLinksCount(): number {
    return 0;
  }
}

type SpanOrigin = Pick<ReadableSpan, "resource" | "instrumentationScope">;

/** Context of a span for the SDK; also of a call's parent, as its client has marked it. */
export function sdkContext(
  { traceId, spanId, sampled, tracestate }: SpanContext,
  traceFlags: TraceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
): SdkSpanContext {
  const context = { traceId, spanId, traceFlags, isRemote: true };
  return tracestate === undefined ? context : { ...context, traceState: new TraceState(tracestate) };
}

/**
 * Copies only where a value is undefined. V8 keeps a copy of many attributes, made name by name, in a form
 * that is slower to read.
 */
function definedOf(attributes: FinishedSpan["attributes"]): Attributes {
  for (const name in attributes) {
    if (attributes[name as keyof typeof attributes] === undefined) return copyOf(attributes);
  }
  return attributes;
}

function copyOf(attributes: FinishedSpan["attributes"]): Attributes {
  const defined: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) defined[name] = value;
  return defined;
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

const unset: SpanStatus = { code: SpanStatusCode.UNSET };

/** Epoch ms as seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}

const nanosPerSecond = 1_000_000_000;
