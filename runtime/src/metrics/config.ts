import * as z from "zod";
import { OtlpConfig } from "../otlp-config.ts";

/**
 * The variables of OpenTelemetry that decide whether and how often metrics are sent. Its exporters read more.
 */
export const MetricsConfig = z.object({
  ...OtlpConfig.shape,
  /** Receiver of metrics. Without one none are sent. */
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: z.url().optional(),
  OTEL_METRICS_EXPORTER: z.enum(["otlp", "none"]).default("otlp"),
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce.number().int().min(1_000).max(3_600_000).default(60_000),
  OTEL_METRIC_EXPORT_TIMEOUT: z.coerce.number().int().min(100).max(60_000).default(10_000),
});
export type MetricsConfig = z.infer<typeof MetricsConfig>;

/** Whether metrics are to be sent. */
export const areMetricsSent = (config: MetricsConfig): boolean =>
  config.OTEL_SDK_DISABLED === "false" &&
  config.OTEL_METRICS_EXPORTER === "otlp" &&
  (config.OTEL_EXPORTER_OTLP_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT) !== undefined;
