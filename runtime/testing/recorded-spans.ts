import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace";
import { spanStarter } from "../src/tracing/span-starter.ts";
import type { Tracing } from "../src/tracing/tracing.ts";

/** Returns how spans are started, by the SDK, and those that have ended, in their order. */
export function recordSpans(): { start: Tracing["start"]; ended: ReadableSpan[] } {
  const ended: ReadableSpan[] = [];
  const processor: SpanProcessor = {
    onStart() {},
    onEnd: (span) => void ended.push(span),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  return { start: spanStarter({ spanProcessors: [processor] }), ended };
}

/** Returns when a span began and ended, in ms since `from`, in epoch ms. */
export const timesSince = (from: number, { startTime, endTime }: ReadableSpan): [number, number] => {
  const since = ([seconds, nanos]: [number, number]) => seconds * 1_000 + nanos / 1e6 - from;
  return [since(startTime), since(endTime)];
};
