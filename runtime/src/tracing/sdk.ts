import { ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { NodeSDK } from "@opentelemetry/sdk-node";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import { OtlpDelivery } from "../otlp-delivery.ts";
import { openResource } from "../resource.ts";
import type { TracingConfig } from "./config.ts";
import { readableSpan, sdkContext } from "./readable-span.ts";
import { TraceRate } from "./trace-rate.ts";
import type { Tracing, TracingOptions } from "./tracing.ts";

/**
 * Starts OpenTelemetry: no instrumentation and no hook, since every span is made by hand. Only
 * open-tracing.ts imports this module, and only if spans are to be exported: it takes half a second of CPU to
 * load.
 */
export async function openSdk({ config, service, id, log }: TracingOptions): Promise<Tracing> {
  const exporter = await openExporter(config);
  const waitingMax = config.OTEL_BSP_MAX_QUEUE_SIZE;
  const delivery = new OtlpDelivery<ReadableSpan>(exporter, {
    items: "spans",
    waitingMax,
    log,
    now: () => performance.now(),
  });
  const processor = new BatchSpanProcessor({
    exporter: delivery,
    maxQueueSize: waitingMax,
    maxExportBatchSize: exportSpansMax,
    scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
    exportTimeoutMillis: exportTimeoutMs,
  });
  const resource = await openResource({ service, id });
  const sdk = new NodeSDK({
    resource,
    autoDetectResources: false,
    // What is sampled was decided before a span is made.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [processor],
    metricReaders: [],
    logRecordProcessors: [],
    textMapPropagator: null,
  });
  sdk.start();
  const origin = { resource, instrumentationScope: { name: "faceline" } };
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
      const admitted = delivery.admit(spans.length);
      for (let i = 0; i < admitted; i++) processor.onEnd(readableSpan(spans[i]!, origin));
    },
    get lostSpans() {
      return delivery.lost;
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

/** Fewer spans of a request would block the process for less than 5 ms, and cost more in all. */
const exportSpansMax = 512;
const exportTimeoutMs = 10_000;
/** The time for the last spans at the end of a process. */
const shutdownMs = 2_000;

const someSpanId = "1".repeat(16);

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
