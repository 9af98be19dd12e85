import {
  type Attributes,
  type HrTime,
  type Link,
  ROOT_CONTEXT,
  type SpanContext as SdkSpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";
import { envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { NodeSDK } from "@opentelemetry/sdk-node";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import type { FinishedSpan, SpanContext } from "../../src/trace/span.ts";
import type { TracingConfig } from "./config.ts";
import { reportFailures } from "./export-report.ts";
import { TraceRate } from "./trace-rate.ts";
import { newSpanId, newTraceId, type Tracing, type TracingOptions } from "./tracing.ts";

/**
 * Starts OpenTelemetry: no instrumentation and no hook, since every span is made by hand. Only tracing.ts
 * imports this module, and only if spans are to be exported: it takes half a second of CPU to load.
 */
export async function openSdk({ config, service, id, log }: TracingOptions): Promise<Tracing> {
  const exporter = reportFailures(await openExporter(config), log);
  const ids = new GivenIds();
  const sdk = new NodeSDK({
    resource: resourceFromAttributes({
      "service.name": `faceline-${service}`,
      "service.namespace": "faceline",
      "service.instance.id": id,
    }),
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. Others would tell the host's name and the command line.
    resourceDetectors: [envDetector],
    // A span that reaches the SDK is exported: what is sampled was decided before it was made.
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
        scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
        exportTimeoutMillis: config.OTEL_BSP_EXPORT_TIMEOUT,
      }),
    ],
    metricReaders: [],
    logRecordProcessors: [],
    textMapPropagator: null,
  });
  sdk.start();
  const tracer = trace.getTracer("faceline");
  const sampler = samplerOf(config);
  const { TRACES_PER_SECOND_MAX: perSecond } = config;
  const rate = perSecond === 0 ? undefined : new TraceRate(perSecond);

  return {
    on: true,
    decide(traceId, parentSampled) {
      const parent = { traceId, spanId: someSpanId, sampled: parentSampled === true };
      const context =
        parentSampled === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, sdkContext(parent));
      const { decision } = sampler.shouldSample(context, traceId, "call", SpanKind.SERVER, {}, []);
      if (decision !== SamplingDecision.RECORD_AND_SAMPLED) return false;
      return parentSampled === true || rate === undefined || rate.take(performance.now());
    },
    export(spans) {
      for (const span of spans) {
        ids.next = span.context;
        const { parentId } = span;
        const parent = parentId === undefined ? undefined : { ...span.context, spanId: parentId };
        const context =
          parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, sdkContext(parent));
        const started = tracer.startSpan(span.name, startOptions(span), context);
        if (span.error !== undefined) {
          started.setStatus({ code: SpanStatusCode.ERROR, message: span.error });
        }
        started.end(hrTime(Math.max(span.startAt, span.endAt)));
      }
    },
    async [Symbol.asyncDispose]() {
      // A receiver that hangs must not keep the process.
      const timeUp = Promise.withResolvers<void>();
      const timer = setTimeout(timeUp.resolve, shutdownMs);
      await Promise.race([sdk.shutdown().catch(() => {}), timeUp.promise]);
      clearTimeout(timer);
    },
  };
}

/** The time for the last spans at the end of a process. */
const shutdownMs = 2_000;

const someSpanId = "1".repeat(16);

/** Gives the next span the ids that it was promised: others know it by them already. */
class GivenIds implements IdGenerator {
  next: SpanContext | undefined;

  generateSpanId(): string {
    return this.next?.spanId ?? newSpanId();
  }

  generateTraceId(): string {
    return this.next?.traceId ?? newTraceId();
  }
}

async function openExporter(config: TracingConfig): Promise<SpanExporter> {
  switch (config.OTEL_EXPORTER_OTLP_PROTOCOL) {
    case "http/protobuf": {
      const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-proto");
      return new OTLPTraceExporter();
    }
    case "http/json": {
      const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
      return new OTLPTraceExporter();
    }
    case "grpc": {
      const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-grpc");
      return new OTLPTraceExporter();
    }
  }
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TracingConfig): Sampler {
  switch (name) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "traceidratio":
      return new TraceIdRatioBasedSampler(ratio);
    case "parentbased_always_on":
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case "parentbased_always_off":
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case "parentbased_traceidratio":
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}

function startOptions({ kind, attributes, links = [], startAt, parentId }: FinishedSpan) {
  return {
    kind: kinds[kind],
    root: parentId === undefined,
    startTime: hrTime(startAt),
    attributes: attributes as Attributes,
    links: links.map((each): Link => ({ context: sdkContext(each) })),
  };
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

const sdkContext = ({ traceId, spanId, sampled, tracestate }: SpanContext): SdkSpanContext => ({
  traceId,
  spanId,
  traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
  ...(tracestate === undefined ? {} : { traceState: new TraceState(tracestate) }),
});

/** Epoch ms as seconds and nanoseconds: the SDK would take a small number for one of `performance.now()`. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}
