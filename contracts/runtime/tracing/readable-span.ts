import {
  type Attributes,
  type HrTime,
  type SpanContext as SdkSpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { FinishedSpan, SpanContext } from "../../src/trace/span.ts";

/**
 * Returns a span as exporters of the SDK read it. A span of the SDK itself would be checked and copied again
 * on its way, for half of its whole cost. `origin` is the same for all spans of a process.
 */
export function readableSpan(span: FinishedSpan, origin: SpanOrigin): ReadableSpan {
  // Whoever hands a span over has decided that it is exported, whatever its head was.
  const context = { ...sdkContext(span.context), traceFlags: TraceFlags.SAMPLED };
  const startTime = hrTime(span.startAt);
  const endTime = hrTime(Math.max(span.startAt, span.endAt));
  return {
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => context,
    ...(span.parentId === undefined
      ? {}
      : { parentSpanContext: { ...context, spanId: span.parentId, isRemote: true } }),
    startTime,
    endTime,
    status:
      span.error === undefined
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: span.error },
    attributes: definedOf(span.attributes),
    links: (span.links ?? []).map((link) => ({ context: sdkContext(link) })),
    events: [],
    duration: hrTime(Math.max(0, span.endAt - span.startAt)),
    ended: true,
    resource: origin.resource,
    instrumentationScope: origin.instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

export type SpanOrigin = Pick<ReadableSpan, "resource" | "instrumentationScope">;

/** Also of the parent of a call, as its client has marked it. */
export const sdkContext = ({ traceId, spanId, sampled, tracestate }: SpanContext): SdkSpanContext => ({
  traceId,
  spanId,
  traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
  ...(tracestate === undefined ? {} : { traceState: new TraceState(tracestate) }),
});

function definedOf(attributes: FinishedSpan["attributes"]): Attributes {
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

/** Epoch ms as seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}
