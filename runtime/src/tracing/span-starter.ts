import { type Context, ROOT_CONTEXT, type SpanContext, trace } from "@opentelemetry/api";
import {
  AlwaysOnSampler,
  RandomIdGenerator,
  TracerProvider,
  type TracerProviderOptions,
} from "@opentelemetry/sdk-trace";
import { hrTime, type Tracing } from "./tracing.ts";

/** Returns how spans are started that are all exported: by a provider with these options. */
export function spanStarter(options: TracerProviderOptions): Tracing["start"] {
  const random = new RandomIdGenerator();
  let given: SpanContext | undefined;
  const idGenerator = {
    generateTraceId: () => given?.traceId ?? random.generateTraceId(),
    generateSpanId: () => given?.spanId ?? random.generateSpanId(),
  };
  const provider = new TracerProvider({ ...options, sampler: new AlwaysOnSampler(), idGenerator });
  const tracer = provider.getTracer("faceline");
  return (name, { startAt, parent, context, links = [], ...fields }) => {
    given = context;
    const linked = links.map((each) => ({ context: each }));
    return tracer.startSpan(name, { ...fields, startTime: hrTime(startAt), links: linked }, below(parent));
  };
}

/** The context in which a span is started below `parent`. */
export const below = (parent: SpanContext | undefined): Context =>
  parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
