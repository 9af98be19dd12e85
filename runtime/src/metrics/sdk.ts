import type { Counter, Histogram } from "@opentelemetry/api";
import { ExportResultCode, getNumberFromEnv } from "@opentelemetry/core";
import {
  type IMetricReader,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from "@opentelemetry/sdk-metrics";
import { type MetricDefinition, metricList } from "@faceline/contracts/metrics/list";
import { isSent } from "../otlp-config.ts";
import { openResource } from "../resource.ts";
import { Exemplars } from "./exemplars.ts";
import type { Metrics, MetricsOptions } from "./metrics.ts";
import { MetricsPage } from "./page.ts";

/**
 * Opens the metrics SDK. Only open-metrics.ts imports this module, and only if somebody is to get the
 * metrics: it takes a tenth of a second of CPU to load.
 */
export async function openMetricsSdk({ config, page, service, id, log }: MetricsOptions): Promise<Metrics> {
  const metricsPage = page ? new MetricsPage() : undefined;
  const readers: IMetricReader[] = metricsPage === undefined ? [] : [metricsPage];
  if (isSent("METRICS", config)) {
    const { OTLPMetricExporter } = await exporters[config.OTEL_EXPORTER_OTLP_PROTOCOL]();
    const exportIntervalMillis = getNumberFromEnv("OTEL_METRIC_EXPORT_INTERVAL") ?? 60_000;
    const timeoutMs = getNumberFromEnv("OTEL_METRIC_EXPORT_TIMEOUT") ?? 10_000;
    readers.push(
      new PeriodicExportingMetricReader({
        exporter: reportExports(new OTLPMetricExporter(), log),
        exportIntervalMillis,
        exportTimeoutMillis: Math.min(timeoutMs, exportIntervalMillis),
      }),
    );
  }
  const provider = new MeterProvider({
    resource: await openResource({ service, id }),
    readers,
    views: [{ instrumentName: "*", aggregationCardinalityLimit: attributeSetsMax }],
  });
  const meter = provider.getMeter("faceline");
  const exemplars = new Exemplars(attributeSetsMax);
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  for (const [name, definition] of Object.entries<MetricDefinition>(metricList)) {
    const { kind, unit, help: description } = definition;
    if (kind === "counter") counters.set(name, meter.createCounter(name, { unit, description }));
    if (kind === "histogram") {
      const advice = { explicitBucketBoundaries: boundariesOf(definition) };
      histograms.set(name, meter.createHistogram(name, { unit, description, advice }));
    }
  }

  return {
    on: true,
    add: (name, value, attributes) => counters.get(name)!.add(value, attributes),
    record(name, value, attributes, span) {
      histograms.get(name)!.record(value, attributes);
      if (span === undefined || metricsPage === undefined) return;
      exemplars.add(value, { name, bounds: boundariesOf(metricList[name]), attributes, span });
    },
    observe(name, read) {
      const { kind, unit, help: description } = metricList[name];
      const instrument = meter[creators[kind]](name, { unit, description });
      instrument.addCallback((result) => {
        for (const [value, attributes] of read()) result.observe(value, attributes);
      });
    },
    page: async (format = "text") => (await metricsPage?.text(format, exemplars)) ?? "",
    async [Symbol.asyncDispose]() {
      // Sends the last values. A receiver that hangs must not keep the process.
      await provider.shutdown({ timeoutMillis: shutdownMs }).catch(() => {});
    },
  };
}

/**
 * Attribute sets of one metric; further ones are counted together, as `otel_metric_overflow="true"`. A
 * histogram has 16 series for each set.
 */
const attributeSetsMax = 200;

const creators = {
  gauge: "createObservableGauge",
  observed_counter: "createObservableCounter",
  observed_up_down_counter: "createObservableUpDownCounter",
} as const;

/** The time for the last values at the end of a process. */
const shutdownMs = 2_000;

const boundariesOf = ({ unit }: MetricDefinition): number[] => (unit === "s" ? seconds : counts);
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const counts = [0, 1, 2, 4, 8, 16, 32, 64];

/**
 * One warning when metrics can no longer be delivered, and one line when they can again. Only points of the
 * charts are lost: every delivery holds the whole counts.
 */
function reportExports(exporter: PushMetricExporter, log: MetricsOptions["log"]): PushMetricExporter {
  let isDelivered = true;
  const send = exporter.export.bind(exporter);
  exporter.export = (values, done) =>
    send(values, (result) => {
      const isSent = result.code === ExportResultCode.SUCCESS;
      const reason = isSent ? undefined : (result.error?.message ?? "no reason");
      if (isDelivered && reason !== undefined) {
        log.warn({ reason: reason.slice(0, reasonCharactersMax) }, "metrics are not delivered");
      }
      if (!isDelivered && reason === undefined) log.info("metrics are delivered again");
      isDelivered = reason === undefined;
      done(result);
    });
  return exporter;
}

const reasonCharactersMax = 200;

const exporters = {
  "http/protobuf": () => import("@opentelemetry/exporter-metrics-otlp-proto"),
  "http/json": () => import("@opentelemetry/exporter-metrics-otlp-http"),
  grpc: () => import("@opentelemetry/exporter-metrics-otlp-grpc"),
};
