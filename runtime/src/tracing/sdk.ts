import { diag, SpanKind, trace } from "@opentelemetry/api";
import { getNumberFromEnv } from "@opentelemetry/core";
import { ZipkinExporter } from "@opentelemetry/exporter-zipkin";
import { NodeSDK } from "@opentelemetry/sdk-node";
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace";
import type { OtlpConfig } from "../otlp-config.ts";
import { endInTime, OtlpDelivery } from "../otlp-delivery.ts";
import { openResource } from "../resource.ts";
import { below, spanStarter } from "./span-starter.ts";
import { hrTime, type Tracing, type TracingOptions } from "./tracing.ts";

/**
 * Starts OpenTelemetry: no instrumentation and no hook, since every span is started by hand. Only
 * open-tracing.ts imports this module, and only if spans are to be exported: it takes half a second of CPU to
 * load.
 */
export async function openSdk({ config, service, id, log }: TracingOptions): Promise<Tracing> {
  // By default, the SDK would silently replace a wrong value of its variables.
  const warn = (reason: string) => log.warn({ reason }, "OpenTelemetry warns");
  diag.setLogger({ error: warn, warn, info() {}, debug() {}, verbose() {} });
  // 0 would lose every span, or never send any.
  const atLeastOne = (name: string, standard: number): number => {
    const value = getNumberFromEnv(name) ?? standard;
    if (value >= 1) return value;
    warn(`${name} must be 1 or more: ${standard} is used`);
    return standard;
  };
  const waitingMax = atLeastOne("OTEL_BSP_MAX_QUEUE_SIZE", 4_096);
  const delivery = new OtlpDelivery<ReadableSpan>(await openExporter(config), {
    items: "spans",
    waitingMax,
    log,
  });
  const batches = new BatchSpanProcessor({
    exporter: delivery,
    maxQueueSize: waitingMax,
    scheduledDelayMillis: atLeastOne("OTEL_BSP_SCHEDULE_DELAY", 5_000),
    maxExportBatchSize: Math.min(waitingMax, atLeastOne("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512)),
    exportTimeoutMillis: atLeastOne("OTEL_BSP_EXPORT_TIMEOUT", 10_000),
  });
  const processor: SpanProcessor = {
    onStart() {},
    onEnd: (span) => void (delivery.admit() && batches.onEnd(span)),
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
  const resource = await openResource({ service, id });
  const spanProcessors = [processor];
  // Its sampler, of OTEL_TRACES_SAMPLER, decides for the first span of a call: others are all exported.
  const sdk = new NodeSDK({
    resource,
    autoDetectResources: false,
    spanProcessors,
    metricReaders: [],
    logRecordProcessors: [],
    textMapPropagator: null,
  });
  sdk.start();
  diag.disable();
  const tracer = trace.getTracer("faceline");

  return {
    startCall: (name, startAt, parent) =>
      tracer.startSpan(name, { kind: SpanKind.SERVER, startTime: hrTime(startAt) }, below(parent)),
    start: spanStarter({ resource, spanProcessors }),
    get lostSpans() {
      return delivery.lost;
    },
    async [Symbol.asyncDispose]() {
      await endInTime(() => sdk.shutdown());
      trace.disable();
    },
  };
}

async function openExporter(config: OtlpConfig): Promise<SpanExporter> {
  if (config.OTEL_TRACES_EXPORTER === "zipkin") return new ZipkinExporter();
  const { OTLPTraceExporter } = await exporters[config.OTEL_EXPORTER_OTLP_PROTOCOL]();
  return new OTLPTraceExporter();
}

const exporters = {
  "http/protobuf": () => import("@opentelemetry/exporter-trace-otlp-proto"),
  "http/json": () => import("@opentelemetry/exporter-trace-otlp-http"),
  grpc: () => import("@opentelemetry/exporter-trace-otlp-grpc"),
};
