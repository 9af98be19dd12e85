import { isSent } from "../otlp-config.ts";
import { type Metrics, type MetricsOptions, metricsOff } from "./metrics.ts";

/**
 * Opens the metrics of a process, or returns ones that do nothing if nobody gets them: then OpenTelemetry is
 * not loaded at all.
 */
export async function openMetrics(options: MetricsOptions): Promise<Metrics> {
  if (!options.page && !isSent("METRICS", options.config)) return metricsOff;
  const { openMetricsSdk } = await import("./sdk.ts");
  return openMetricsSdk(options);
}
